// What a study asks of rows of attention weights (numbers ≥ 0, finite), and counts of them.
#pragma once

#include <cstdint>

#include "fovea/shape.h"

namespace fovea::kernels {

// keys [count]: of each of rows [count, m], the fewest weights that sum to `share` of it, 0 < share < 1; 0
// for a row of zeros. Sums are in double; −1: rounding led the search astray, somebody slower has to do it
// (rare).
void keys_holding(const float* rows, Index count, Index m, double share, Index* keys);

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

// An amount for the counters of one row that are marked: bit i stands for counter i.
struct MarkedAmount {
  Index row = 0;
  std::uint64_t marks = 0;
  std::int64_t amount = 0;
};
// Adds `count` amounts to rows of `width` counters, width ≤ 64.
void add_marked(std::int64_t* rows, Index width, const MarkedAmount* amounts, Index count);

}  // namespace fovea::kernels
