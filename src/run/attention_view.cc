// One head or one layer, from queries and keys or from stored weights.
#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/run.h"
#include "mask/visible_keys.h"
#include "run/weight_statistics.h"
#include "run/weights.h"

namespace fovea {
namespace {

// Of stored weights [.., N, M]: their axes before N.
std::vector<Index> leading_axes(const Shape& weights) {
  std::vector<Index> axes;
  for (int axis = 0; axis < weights.rank() - 2; ++axis) axes.push_back(weights[axis]);
  return axes;
}

}  // namespace

double AttentionView::scale() const {
  if (stored()) return 1;
  if (options.scale) return static_cast<double>(*options.scale);
  return 1 / std::sqrt(static_cast<double>(q.shape().back()));
}

Tensor AttentionView::crop(const Crop& crop) const {
  if (!stored()) return attention_crop(q, k, options, crop);
  const auto inside = [](Index begin, Index end, Index extent) {
    return begin >= 0 && begin <= end && end <= extent;
  };
  if (!inside(crop.row_begin, crop.row_end, queries()) || !inside(crop.key_begin, crop.key_end, keys())) {
    fail("[run] got rows {} .. {} and keys {} .. {}, expected a part of {} rows and {} keys",
         crop.row_begin, crop.row_end, crop.key_begin, crop.key_end, queries(), keys());
  }
  const int rank = weights.shape().rank();
  return Tensor::copy_of(
      weights.slice(rank - 2, crop.row_begin, crop.row_end).slice(rank - 1, crop.key_begin, crop.key_end));
}

AttentionStatistics AttentionView::statistics(const StatisticsOptions& wanted) const {
  if (!stored()) return attention_statistics(q, k, options, wanted);
  const ConstView all = weights_as_rank_5("statistics", weights);
  const ScoreExtents extents = extents_of(all);
  WeightStatistics statistics(leading_axes(weights.shape()), extents.n, extents.m, wanted);
  parallel_for(extents.batch * extents.heads, wanted.stop, "statistics", [&](Index head) {
    VisibleKeys visible(options.mask.node(), extents);
    std::vector<double> row(static_cast<std::size_t>(extents.m));
    for (Index i = 0; i < extents.n; ++i) {
      visible.set_row(head / extents.heads, head % extents.heads, i);
      read_row(all, head / extents.heads, head % extents.heads, i, row);
      statistics.add_row(head, i, row, visible.count());
    }
  });
  return statistics.finish();
}

}  // namespace fovea
