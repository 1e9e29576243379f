// Means of row measures over the rows of each head.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/attention_statistics.h"

namespace fovea {
inline namespace internal {

// Sums over rows that see something, in double: of one head, of one part of its rows.
struct FOVEA_PRIVATE_API RowSums {
  double rows = 0, entropy = 0, maximum = 0, diagonal = 0, distance = 0, visible = 0;

  void add(const AttentionStatistics& s, Index row);
  void add(const RowSums& more);
};

// The shape of a measure per head for rows of this shape: without its last extent, or [1].
FOVEA_PRIVATE_API Shape shape_per_head(const Shape& rows);

// [heads], of the rows that `s` has.
FOVEA_PRIVATE_API std::vector<RowSums> row_sums(const AttentionStatistics& s);
FOVEA_PRIVATE_API HeadMeans head_means(const Shape& shape, const std::vector<RowSums>& sums);
FOVEA_PRIVATE_API HeadMeans head_means(const AttentionStatistics& s);

}  // namespace internal
}  // namespace fovea
