#include "ops/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/random.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

double activation_in_double(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return 0;
}

constexpr Activation kAll[] = {Activation::none, Activation::relu, Activation::silu, Activation::gelu,
                               Activation::gelu_tanh};

void expect_activation(const Tensor& x, Activation activation) {
  Tensor got = x;
  activate(got, activation);
  for (Index i = 0; i < x.shape().elements(); ++i) {
    const double in = static_cast<double>(x.data()[i]);
    ASSERT_NEAR(static_cast<double>(got.data()[i]), activation_in_double(activation, in),
                2.5e-7 * std::max(1.0, std::abs(in)))
        << "x = " << in << ", activation " << static_cast<int>(activation);
  }
}

TEST(Activation, whole_range) {
  on_every_instruction_set([] {
    Tensor x({60001});  // −30 to 30, the seams of the fits among them
    for (Index i = 0; i < 60001; ++i) x.data()[i] = static_cast<float>(i - 30000) * 1e-3f;
    for (const Activation activation : kAll) expect_activation(x, activation);
    expect_activation(Tensor::from({1e-30, -1e-30, 1e10, -1e10, 1.41421354, -1.41421354, 0, -0.0}),
                      Activation::gelu);
  });
}

TEST(Activation, every_length) {
  on_every_instruction_set([] {
    Random random(3);
    for (Index length = 0; length <= 35; ++length) {
      const Tensor x = random.normal({length}), gate = random.normal({length});
      for (const Activation activation : kAll) {
        expect_activation(x, activation);
        Tensor gated = x;
        activate_gated(gated, gate, activation);
        Tensor sum = x;
        add(sum, gate);
        for (Index i = 0; i < length; ++i) {
          const double want = activation_in_double(activation, static_cast<double>(x(i)));
          ASSERT_NEAR(static_cast<double>(gated(i)), want * static_cast<double>(gate(i)), 1e-6);
          ASSERT_EQ(sum(i), x(i) + gate(i));
        }
      }
    }
  });
}

TEST(Activation, nan_stays_nan) {
  on_every_instruction_set([] {
    for (const Activation activation : kAll) {
      Tensor x = Tensor::from({1, std::numeric_limits<float>::quiet_NaN(), 2});
      activate(x, activation);
      EXPECT_TRUE(std::isnan(x(1))) << static_cast<int>(activation);
      EXPECT_FALSE(std::isnan(x(2))) << static_cast<int>(activation);
    }
  });
}

TEST(Activation, shapes_that_differ_are_an_error) {
  Tensor x({2, 3});
  EXPECT_EQ(testing::message_of([&] { add(x, Tensor({3, 2})); }), "[add] shapes [2, 3] and [3, 2] differ");
}

}  // namespace
}  // namespace fovea
