#include "train/embedding.h"

#include <algorithm>

#include "core/parallel.h"

namespace fovea {
namespace {

// body(row, id) for all rows, in parallel.
template <typename Body>
void for_rows(const std::vector<Index>& ids, Index width, const Body& body) {
  const auto rows = static_cast<Index>(ids.size());
  const Index group = std::max<Index>(1, 16384 / std::max<Index>(1, width));
  parallel_for((rows + group - 1) / group, [&](Index g) {
    for (Index row = g * group; row < std::min(rows, (g + 1) * group); ++row) {
      body(row, ids[static_cast<std::size_t>(row)]);
    }
  });
}

}  // namespace

void EmbeddingTable::forward(const std::vector<Index>& ids, View x) const {
  const Index width = rows.shape()[1];
  for_rows(ids, width, [&](Index row, Index id) {
    std::copy_n(rows.data() + id * width, width, x.data() + row * width);
  });
}

void EmbeddingTable::add_forward(const std::vector<Index>& ids, View x) const {
  const Index width = rows.shape()[1];
  for_rows(ids, width, [&](Index row, Index id) {
    const float* from = rows.data() + id * width;
    float* to = x.data() + row * width;
    for (Index i = 0; i < width; ++i) to[i] += from[i];
  });
}

void EmbeddingTable::backward(const std::vector<Index>& ids, ConstView dx) const {
  constexpr Index kColumns = 64;  // four cache lines of each row
  const Index width = drows.shape()[1];
  parallel_for((width + kColumns - 1) / kColumns, [&](Index part) {
    const Index begin = part * kColumns, count = std::min(kColumns, width - begin);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const float* from = dx.data() + static_cast<Index>(row) * width + begin;
      float* to = drows.data() + ids[row] * width + begin;
      for (Index i = 0; i < count; ++i) to[i] += from[i];
    }
  });
}

}  // namespace fovea
