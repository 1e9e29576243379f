#include "core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea {
inline namespace internal {
namespace {

// Up to 12 digits, rounding errors of the computation (0.30000000000000004) are not worth a decimal; who
// asks for more wants to see them.
bool complete_with(double value, int decimals, int digits) {
  const double power = std::pow(10.0, decimals);
  const double tolerance =
      digits <= 12 ? 1e-12 * std::max(1.0, std::abs(value)) : 0.5 * std::pow(10.0, -digits);
  return std::abs(value - std::round(value * power) / power) <= tolerance;
}

std::string not_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

}  // namespace

NumberFormat choose_format(const std::vector<double>& values, int digits) {
  digits = std::clamp(digits, 0, 17);
  double largest = 0;
  int decimals = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    largest = std::max(largest, std::abs(value));
    while (decimals < digits && !complete_with(value, decimals, digits)) ++decimals;
  }
  const bool too_small = largest > 0 && largest < 0.5 * std::pow(10.0, -digits);
  if (largest >= 1e9 || too_small) return {digits, true};
  return {decimals > 12 ? digits : decimals, false};  // 0.333…: as many as asked for
}

std::string format_number(double value, const NumberFormat& format) {
  if (!std::isfinite(value)) return not_finite(value);
  return format.scientific ? fmt::format("{:.{}e}", value, format.decimals) : fixed(value, format.decimals);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite(value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text[0] == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  const double size = std::abs(value);
  if (size >= 1e9 || (size > 0 && size < std::pow(10.0, -digits))) return fmt::format("{:.2e}", value);
  std::string text = fixed(value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string short_vector(const std::vector<double>& values, std::size_t limit) {
  std::string text = "(";
  for (std::size_t i = 0; i < std::min(limit, values.size()); ++i) {
    text += (i == 0 ? "" : ", ") + short_number(values[i]);
  }
  return text + (values.size() > limit ? ", …)" : ")");
}

std::string subscript(long long number) {
  static constexpr const char* kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) {
    text += digit == '-' ? "₋" : kDigits[digit - '0'];
  }
  return text;
}

}  // namespace internal
}  // namespace fovea
