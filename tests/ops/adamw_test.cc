#include "ops/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::drawn;
using testing::expect_close;
using testing::on_every_instruction_set;

TEST(AdamWOp, ten_steps_as_the_reference) {
  const Index count = 45;
  const std::vector<ParameterRange> ranges = {{0, 7, true}, {7, 20, false}, {20, 45, true}};
  on_every_instruction_set([&] {
    Random random(2);
    Tensor parameters = drawn(random, {count}), first({count}), second({count});
    DoubleArray decaying = parameters, plain = parameters;
    DoubleArray first_want({count}), second_want({count}), unused_first({count}), unused_second({count});
    for (Index step = 1; step <= 10; ++step) {
      const Tensor gradient = drawn(random, {count}, 3);
      DoubleArray scaled = gradient;
      for (double& g : scaled.values) g *= 0.5;
      const reference::AdamWProblem with = {0.01, 0.9, 0.95, 1e-8, 0.1, step};
      reference::AdamWProblem without = with;
      without.decay = 0;
      reference::adamw(with, scaled, decaying, first_want, second_want);
      reference::adamw(without, scaled, plain, unused_first, unused_second);
      const auto t = static_cast<double>(step);
      adamw_step(
          {parameters.data(), gradient.data(), first.data(), second.data(), 0.5f, 0.01f, 0.9f, 0.95f, 1e-8f,
           0.1f, static_cast<float>(1 - std::pow(0.9, t)), static_cast<float>(1 - std::pow(0.95, t))},
          ranges);
    }
    DoubleArray want = decaying;
    for (std::size_t i = 7; i < 20; ++i) want.values[i] = plain.values[i];
    expect_close("parameters", parameters, want, 1e-6);
    expect_close("first moment", first, first_want, 1e-6);
    expect_close("second moment", second, second_want, 1e-6);
  });
}

TEST(AdamWOp, sum_of_squares) {
  on_every_instruction_set([] {
    Random random(4);
    Tensor x = drawn(random, {5003}, 2);
    double want = 0;
    for (Index i = 0; i < 5003; ++i) want += static_cast<double>(x(i)) * static_cast<double>(x(i));
    const std::vector<ParameterRange> ranges = {{0, 3000, true}, {3000, 5003, false}};
    EXPECT_NEAR(sum_of_squares(x.data(), ranges), want, 1e-6 * want);
    for (const Index at : {0, 2999, 5002}) {
      Tensor bad = x;
      bad(at) = std::nanf("");
      EXPECT_TRUE(std::isnan(sum_of_squares(bad.data(), ranges)));
      bad(at) = 1e30f;
      EXPECT_TRUE(std::isinf(sum_of_squares(bad.data(), ranges)));
    }
  });
}

}  // namespace
}  // namespace fovea
