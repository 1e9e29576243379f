#include "plot/ticks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/number_text.h"

namespace fovea {
namespace {

constexpr const char* kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

std::string power_of_ten(int exponent) {
  if (exponent == 0) return "1";
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kSuperscripts[digit - '0'];
  return text;
}

struct Step {
  double size = 1;
  int decimals = 0;
};

Step nice_step(double least) {
  const int exponent = static_cast<int>(std::floor(std::log10(least) + 1e-9));
  const double power = std::pow(10.0, exponent);
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return {factor * power, std::max(0, -exponent)};
  }
  return {10 * power, std::max(0, -exponent - 1)};
}

std::vector<double> round_numbers(double low, double high, const Step& step) {
  std::vector<double> numbers;
  const double first = std::ceil(low / step.size - 1e-9), last = std::floor(high / step.size + 1e-9);
  for (double k = first; k <= last; ++k) numbers.push_back(k * step.size);
  return numbers;
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, int most) {
  const Step step = nice_step((high - low) / most);
  std::vector<Tick> ticks;
  for (const double value : round_numbers(low, high, step)) {
    ticks.push_back({(value - low) / (high - low), signed_fixed(value, step.decimals)});
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(double low, double high, int most) {
  constexpr double kShort = 2;  // decades
  const double decades = std::log10(high / low);
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int step = std::max(1, (last - first + most - 1) / most);
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; exponent += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, exponent);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9) || (factor != 1 && decades > kShort))
        continue;
      ticks.push_back({std::log10(value / low) / decades,
                       decades > kShort ? power_of_ten(exponent) : short_number(value, 9)});
    }
  }
  return ticks;
}

Index round_step(double least) {
  return least <= 1 ? 1 : static_cast<Index>(std::llround(nice_step(least).size));
}

std::string grouped(Index number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string signed_fixed(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return text.front() == '-' ? fmt::format("−{}", text.substr(1)) : text;
}

}  // namespace fovea
