// Sums that do not depend on the order: integers of value · 2^40.
#pragma once

#include <cmath>
#include <cstdint>

namespace fovea {

__extension__ typedef __int128 Int128;

inline constexpr double kExactUnit = 1099511627776.0;  // 2^40

// The nearest integer, to even. As std::llrint has it, which is a call where math may set errno.
inline std::int64_t nearest_integer(double value) {
  constexpr double kWhole = 4503599627370496.0;  // 2^52: from here on there are no fractions
  if (value >= kWhole) return static_cast<std::int64_t>(value);
  if (value >= 0) return static_cast<std::int64_t>((value + kWhole) - kWhole);
  return std::llrint(value);
}

// Of a value below 2^22.
inline std::int64_t small_exact(double value) { return nearest_integer(value * kExactUnit); }

// Rounded once: up to 2^22 the error is 2^-41, and 2^63 values of that size fit into a sum.
inline Int128 exact(double value) {
  const double scaled = value * kExactUnit;
  constexpr double kFitsIntoInt64 = 4.6e18;
  if (std::abs(scaled) < kFitsIntoInt64) return nearest_integer(scaled);
  return static_cast<Int128>(std::rint(scaled));
}

inline double value_of(Int128 sum) { return static_cast<double>(sum) / kExactUnit; }

}  // namespace fovea
