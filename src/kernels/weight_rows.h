// Rows of attention weights, read for what a study asks of them: numbers ≥ 0, finite.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// The fewest of the weights row [m] that sum to `share` of it, 0 < share < 1; 0 for a row of zeros. Sums
// are in double; −1: rounding led the search astray, somebody slower has to do it (rare).
Index keys_holding(const float* row, Index m, double share);

// sums [m] += row [m], in double.
void add_row_to_sums(const float* row, Index m, double* sums);

struct LargestWeight {
  float weight = 0;
  Index key = -1;  // the first of equals; −1: all are 0
};
// The largest of row [m] · factors [m].
LargestWeight largest_weight(const float* row, const float* factors, Index m);

// What rows of sum_x_log_x are filled up to with zeros: a multiple of all vectors.
inline constexpr Index kRowPadding = 16;
// Σ x ln x over x = a [m] + b [m], 0 ≤ x ≤ 2, each term within 1.5e-7; m is a multiple of kRowPadding.
double sum_x_log_x(const float* a, const float* b, Index m);

}  // namespace fovea::kernels
