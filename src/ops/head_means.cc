#include "ops/head_means.h"

#include <algorithm>

namespace fovea {
inline namespace internal {

void RowSums::add(const AttentionStatistics& s, Index row) {
  if (s.maximum.data()[row] == 0) return;
  rows += 1;
  entropy += static_cast<double>(s.entropy.data()[row]);
  maximum += static_cast<double>(s.maximum.data()[row]);
  diagonal += static_cast<double>(s.diagonal.data()[row]);
  distance += static_cast<double>(s.distance.data()[row]);
  visible += static_cast<double>(s.visible.data()[row]);
}

void RowSums::add(const RowSums& more) {
  rows += more.rows;
  entropy += more.entropy;
  maximum += more.maximum;
  diagonal += more.diagonal;
  distance += more.distance;
  visible += more.visible;
}

Shape shape_per_head(const Shape& rows) {
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < rows.rank(); ++axis) extents.push_back(rows[axis]);
  return extents.empty() ? Shape{1} : Shape(extents);
}

std::vector<RowSums> row_sums(const AttentionStatistics& s) {
  const Index n = s.entropy.shape().back(), heads = shape_per_head(s.entropy.shape()).elements();
  std::vector<RowSums> sums(static_cast<std::size_t>(heads));
  for (Index row = 0; row < heads * n; ++row) sums[static_cast<std::size_t>(row / n)].add(s, row);
  return sums;
}

HeadMeans head_means(const Shape& shape, const std::vector<RowSums>& sums) {
  HeadMeans means{Tensor(shape), Tensor(shape), Tensor(shape),
                  Tensor(shape), Tensor(shape), Ids::filled(shape, 0)};
  for (Index h = 0; h < shape.elements(); ++h) {
    const RowSums& sum = sums[static_cast<std::size_t>(h)];
    const double count = std::max(1.0, sum.rows);
    means.entropy.data()[h] = static_cast<float>(sum.entropy / count);
    means.maximum.data()[h] = static_cast<float>(sum.maximum / count);
    means.diagonal.data()[h] = static_cast<float>(sum.diagonal / count);
    means.distance.data()[h] = static_cast<float>(sum.distance / count);
    means.visible.data()[h] = static_cast<float>(sum.visible / count);
    means.rows_seeing.data()[h] = static_cast<Index>(sum.rows);
  }
  return means;
}

HeadMeans head_means(const AttentionStatistics& s) {
  return head_means(shape_per_head(s.entropy.shape()), row_sums(s));
}

}  // namespace internal
}  // namespace fovea
