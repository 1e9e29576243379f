// Sums that do not depend on the order: integers of value · 2^40.
#pragma once

#include <cmath>
#include <cstdint>

namespace fovea {

__extension__ typedef __int128 Int128;

inline constexpr double kExactUnit = 1099511627776.0;  // 2^40

// Rounded once: up to 2^22 the error is 2^-41, and 2^63 values of that size fit into a sum.
inline Int128 exact(double value) {
  const double scaled = value * kExactUnit;
  constexpr double kFitsIntoInt64 = 4.6e18;
  if (std::abs(scaled) < kFitsIntoInt64) return std::llrint(scaled);
  return static_cast<Int128>(std::rint(scaled));
}

inline double value_of(Int128 sum) { return static_cast<double>(sum) / kExactUnit; }

}  // namespace fovea
