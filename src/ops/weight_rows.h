// For whoever measures rows of attention weights (numbers ≥ 0, finite), and counts what they hold.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/api.h"
#include "fovea/shape.h"
#include "kernels/weight_rows.h"

namespace fovea {
inline namespace internal {

// keys [N]: of each of rows [N, M], the fewest weights that sum to `share` of it, 0 < share < 1; 0 for a
// row of zeros. Sums are in double; −1: rounding led the search astray, somebody slower has to do it
// (rare). Several rows at once take half the time of one after the other.
FOVEA_PRIVATE_API void fewest_holding(const float* rows, Index m, double share, std::span<Index> keys);

// sums [M] += row [M], in double.
FOVEA_PRIVATE_API void add_row_to_sums(std::span<const float> row, double* sums);

struct LargestOfRow {
  float weight = 0;
  Index key = -1;  // the first of equals; −1: all are 0
};
// The largest of row [M] · factors [M].
FOVEA_PRIVATE_API LargestOfRow largest_of_row(std::span<const float> row, const float* factors);

// What sum_x_log_x wants rows to be filled up to with zeros.
inline constexpr Index kRowMultiple = 16;
// Σ x ln x over x = a [M] + b [M], 0 ≤ x ≤ 2, each term within 1.5e-7; M is a multiple of kRowMultiple.
FOVEA_PRIVATE_API double sum_x_log_x(std::span<const float> a, const float* b);

using MarkedAmount = kernels::MarkedAmount;
// Adds the amounts to rows of `width` counters, width ≤ 64.
FOVEA_PRIVATE_API void add_marked(std::int64_t* rows, Index width, std::span<const MarkedAmount> amounts);

}  // namespace internal
}  // namespace fovea
