#include "ops/activation.h"

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
using testing::numeric_gradient;
using testing::on_every_instruction_set;
using testing::weighted;

constexpr Activation kEveryActivation[] = {Activation::none, Activation::relu, Activation::silu,
                                           Activation::gelu, Activation::gelu_tanh};

TEST(ActivationOp, values_and_slopes_against_the_reference) {
  Random random(3);
  for (const Activation activation : kEveryActivation) {
    for (const Index count : {1, 5, 37}) {
      Tensor x = drawn(random, {count}, 3);
      x(0) = std::abs(x(0));  // a slope that is not zero, for relu too
      const Tensor dy = drawn(random, {count});
      const DoubleArray want = reference::activate(activation, x);
      const DoubleArray want_dx = numeric_gradient(
          x, [&](const DoubleArray& at) { return weighted(reference::activate(activation, at), dy); });
      on_every_instruction_set([&] {
        Tensor y(x.shape()), dx(x.shape());
        activate(activation, x, y.view());
        activate_backward(activation, x, dy, dx.view());
        expect_close("y", y, want, 1e-6);
        expect_close("dx", dx, want_dx, 1e-6);
      });
    }
  }
}

// Every slope over the whole range: the bound of kernels/activation_backward.h.
TEST(ActivationOp, slopes_are_right_everywhere) {
  const Index count = 20001;
  Tensor x({count});
  for (Index i = 0; i < count; ++i) x(i) = static_cast<float>(i - count / 2) * 2e-3f + 1e-5f;
  const Tensor ones = Tensor::filled({count}, 1);
  for (const Activation activation : kEveryActivation) {
    on_every_instruction_set([&] {
      Tensor dx(x.shape());
      activate_backward(activation, x, ones, dx.view());
      const double step = 1e-5;
      for (Index i = 0; i < count; ++i) {
        const auto at = static_cast<double>(x(i));
        if (activation == Activation::relu && std::abs(at) < 2 * step) continue;
        const DoubleArray around({2}, {at + step, at - step});
        const DoubleArray f = reference::activate(activation, around);
        ASSERT_NEAR(static_cast<double>(dx(i)), (f.values[0] - f.values[1]) / (2 * step), 5e-7)
            << "activation " << static_cast<int>(activation) << " at " << at;
      }
    });
  }
}

TEST(ActivationOp, far_out_and_not_finite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::from({1e30f, -1e30f, infinity, -infinity, std::nanf(""), 0});
  const Tensor ones = Tensor::filled({6}, 1);
  for (const Activation activation :
       {Activation::relu, Activation::silu, Activation::gelu, Activation::gelu_tanh}) {
    on_every_instruction_set([&] {
      Tensor dx({6});
      activate_backward(activation, x, ones, dx.view());
      EXPECT_EQ(dx(0), 1) << static_cast<int>(activation);
      EXPECT_EQ(dx(1), 0) << static_cast<int>(activation);
      EXPECT_TRUE(std::isnan(dx(4)));
      EXPECT_FLOAT_EQ(dx(5), activation == Activation::relu ? 0.0f : 0.5f);
    });
  }
}

TEST(ActivationOp, gated) {
  Random random(4);
  for (const Activation activation : {Activation::silu, Activation::gelu}) {
    for (const Index width : {1, 6, 19}) {
      const Tensor x = drawn(random, {4, 2 * width}, 2), dy = drawn(random, {4, width});
      const DoubleArray want = reference::activate_gated(activation, x);
      const DoubleArray want_dx = numeric_gradient(x, [&](const DoubleArray& at) {
        return weighted(reference::activate_gated(activation, at), dy);
      });
      on_every_instruction_set([&] {
        Tensor y({4, width}), dx = x;
        activate_gated(activation, x, y.view());
        activate_gated_backward(activation, dx, dy, dx.view());  // in place
        expect_close("y", y, want, 1e-6);
        expect_close("dx", dx, want_dx, 1e-6);
      });
    }
  }
}

}  // namespace
}  // namespace fovea
