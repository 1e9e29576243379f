// How many keys hold a row.
#pragma once

#include <span>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

// The share that keys_90 asks for. Sums that fall short of it by rounding (of float32 weights) count.
inline constexpr double kHeldShare = 0.9;
inline constexpr double kHeldTolerance = 1e-6;

// The fewest keys whose weights sum to `share` of the row; 0 for a row of zeros. O(M) on average.
// `scratch` is memory to work in.
Index keys_holding(double share, std::span<const double> row, std::vector<double>& scratch);
// The same of rows [N, M] of weights as kernels give them: numbers ≥ 0, finite. A quarter of the time.
void keys_holding(double share, const float* rows, Index m, std::span<Index> keys);

}  // namespace fovea
