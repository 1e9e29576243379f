// Numbers as people read them.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

// One format for all numbers of a matrix, so that they align.
struct NumberFormat {
  int decimals = 4;
  bool scientific = false;
};

// At most `digits` decimals, fewer where all numbers are complete with fewer (1, 0.5, 0.25 need two; a
// difference below 1e-12 is rounding). Scientific if a number is ≥ 1e9 or all are smaller than the last
// decimal.
FOVEA_PRIVATE_API NumberFormat choose_format(const std::vector<double>& values, int digits);

// "-inf", "inf", "nan"; never "-0.00".
FOVEA_PRIVATE_API std::string format_number(double value, const NumberFormat& format);
FOVEA_PRIVATE_API std::string fixed(double value, int decimals);

// For a sentence: at most `digits` decimals, no trailing zeros; small numbers scientific ("5.07e-43").
FOVEA_PRIVATE_API std::string short_number(double value, int digits = 4);
FOVEA_PRIVATE_API std::string percent(double share);  // "86.7 %"

// (1, 0.5, 0.25, …): at most `limit` numbers.
FOVEA_PRIVATE_API std::string short_vector(const std::vector<double>& values, std::size_t limit = 4);

FOVEA_PRIVATE_API std::string subscript(long long number);  // ₁₂

}  // namespace internal
}  // namespace fovea
