#include "core/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace fovea {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of a half, in double, by its definition.
double half_value(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const double mantissa = bits & 0x3FF;
  const double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                           : exponent == 31 ? (mantissa == 0 ? kInfinity : std::nan(""))
                                            : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Half, all_65536_convert_exactly_and_back) {
  for (unsigned i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = half_to_float(bits);
    if (std::isnan(half_value(i))) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_EQ(std::signbit(value), (i & 0x8000) != 0) << i;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value) >> 13 & 0x3FF, i & 0x3FF) << i;  // the payload
      ASSERT_EQ(float_to_half(value), bits | 0x200) << i;                            // made quiet
    } else {
      ASSERT_EQ(static_cast<double>(value), half_value(i)) << i;
      ASSERT_EQ(std::signbit(value), (i & 0x8000) != 0) << i;
      ASSERT_EQ(float_to_half(value), bits) << i;
    }
  }
}

// Between each pair of neighbours: just below, at and just above the middle, for both signs.
TEST(Half, rounds_to_nearest_and_ties_to_even) {
  for (unsigned low = 0; low < 0x7C00; ++low) {
    const unsigned high = low + 1;  // of the largest: infinity, which takes 65,536 for its value
    const double high_value = high == 0x7C00 ? 65536.0 : half_value(high);
    const auto middle = static_cast<float>((half_value(low) + high_value) / 2);  // exact
    const unsigned even = (low & 1) == 0 ? low : high;
    ASSERT_EQ(float_to_half(middle), even) << low;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(float_to_half(std::nextafter(middle, kInfinity)), high) << low;
    ASSERT_EQ(float_to_half(-middle), even | 0x8000) << low;
    ASSERT_EQ(float_to_half(-std::nextafter(middle, 0.0f)), low | 0x8000) << low;
  }
}

TEST(Half, extremes) {
  EXPECT_EQ(float_to_half(65520.0f), 0x7C00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(float_to_half(-kInfinity), 0xFC00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::denorm_min()), 0x8000);
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0x7F800001u)) & 0x7E00, 0x7E00);  // payload lost, still NaN
}

TEST(Bfloat16, all_65536_convert_exactly_and_back) {
  for (unsigned i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = bfloat16_to_float(bits);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(value), i << 16) << i;
    ASSERT_EQ(float_to_bfloat16(value), std::isnan(value) ? bits | 0x40 : bits) << i;
  }
}

TEST(Bfloat16, rounds_to_nearest_and_ties_to_even) {
  for (unsigned low = 0; low < 0x7F80; ++low) {
    const unsigned even = (low & 1) == 0 ? low : low + 1;
    const auto at = [&](unsigned below) { return std::bit_cast<float>(low << 16 | below); };
    ASSERT_EQ(float_to_bfloat16(at(0x7FFF)), low) << low;
    ASSERT_EQ(float_to_bfloat16(at(0x8000)), even) << low;
    ASSERT_EQ(float_to_bfloat16(at(0x8001)), low + 1) << low;
    ASSERT_EQ(float_to_bfloat16(-at(0x8000)), even | 0x8000) << low;
  }
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);  // infinity is nearer
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x7F800001u)), 0x7FC0);
}

}  // namespace
}  // namespace fovea
