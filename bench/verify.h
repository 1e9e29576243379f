// Results against the double reference.
#pragma once

#include "fovea/float_type.h"
#include "problem.h"

namespace fovea::bench {

// What one result tensor must hold at some of its elements (row-major positions).
struct ExpectedValues {
  std::vector<Index> at;
  std::vector<double> values;
};
using Expected = std::vector<ExpectedValues>;  // per result; empty: nothing to compare with

// The output (forward, linear); dq, dk, dv (backward); measures (statistics). Everything if that takes
// about a second, else rows spread over all heads and positions, the first and the last among them;
// gradients of some heads.
Expected expected_of(const Problem& problem);

Errors errors_of(const Expected& expected, const std::vector<Tensor>& results);

// For N(0, 1) inputs. Of float32, rounding stays two orders of magnitude below it. Others lose most where
// their numbers are rounded to begin with: of 8, 11 or 7 bits, in q, k and v, or in k and v of a cache.
Tolerance tolerance_of(FloatType type);
bool acceptable(const Errors& errors, const Expected& expected, const Tolerance& tolerance = {});

}  // namespace fovea::bench
