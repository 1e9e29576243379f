// The accuracy contract of exp2-inl.h, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exp2_test.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void Exp2All(const float* x, std::size_t count, float* out) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; ++i) out[i] = hn::GetLane(Exp2NonPositive(d, hn::Set(d, x[i])));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "support/instruction_sets.h"

namespace fovea::kernels {
namespace {

HWY_EXPORT(Exp2All);

std::vector<float> exp2_of(const std::vector<float>& x) {
  std::vector<float> out(x.size());
  HWY_DYNAMIC_DISPATCH(Exp2All)(x.data(), x.size(), out.data());
  return out;
}

// The header's numbers, in units of 2⁻²³.
double promised_error() {
  const std::string name = fovea::instruction_set();
  const bool fused = name != "scalar" && !name.starts_with("sse") && !name.starts_with("ssse");
  return fused ? 0.672 : 0.868;
}

TEST(Exp2, relative_error_is_what_the_header_says) {
  // The whole range, and every float where the largest errors are.
  std::vector<float> x;
  for (int i = 0; i <= 400000; ++i) x.push_back(static_cast<float>(-126.0 * i / 400000));
  for (float at = -0.5f; at < -0.495f; at = std::nextafter(at, 0.0f)) x.push_back(at);
  fovea::testing::on_every_instruction_set([&] {
    const std::vector<float> y = exp2_of(x);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = std::exp2(static_cast<double>(x[i]));
      worst = std::max(worst, std::abs(static_cast<double>(y[i]) - want) / want * (1 << 23));
    }
    EXPECT_LT(worst, promised_error());
    EXPECT_GT(worst, 0.66) << "the places with the largest errors are among these";
  });
}

TEST(Exp2, special_values) {
  fovea::testing::on_every_instruction_set([] {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> y =
        exp2_of({0.0f, -0.0f, -1.0f, -126.0f, -126.5f, -127.0f, -1e30f, -inf, std::nanf("")});
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.0f);
    EXPECT_EQ(y[2], 0.5f);
    EXPECT_EQ(y[3], std::exp2(-126.0f));
    EXPECT_EQ(y[4], 0.0f);
    EXPECT_EQ(y[5], 0.0f);
    EXPECT_EQ(y[6], 0.0f);
    EXPECT_EQ(y[7], 0.0f);
    EXPECT_TRUE(std::isnan(y[8]));
  });
}

}  // namespace
}  // namespace fovea::kernels
#endif  // HWY_ONCE
