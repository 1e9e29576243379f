#include "ops/normalization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

// Both norms of every row, in double.
void expect_norms(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  const auto eps = static_cast<float>(epsilon);
  const Tensor layer = layer_norm(x, weight, bias, eps), rms = rms_norm(x, weight, eps);
  const Index width = x.shape().back();
  for (Index row = 0; row < x.shape().elements() / width; ++row) {
    double mean = 0, squares = 0, variance = 0;
    for (Index i = 0; i < width; ++i) mean += static_cast<double>(x.data()[row * width + i]);
    mean /= static_cast<double>(width);
    for (Index i = 0; i < width; ++i) {
      const double value = static_cast<double>(x.data()[row * width + i]);
      squares += value * value;
      variance += (value - mean) * (value - mean);
    }
    const double n = static_cast<double>(width);
    for (Index i = 0; i < width; ++i) {
      const double value = static_cast<double>(x.data()[row * width + i]);
      const double w = static_cast<double>(weight(i)), b = static_cast<double>(bias(i));
      const double want = (value - mean) / std::sqrt(variance / n + epsilon) * w + b;
      // The mean errs by an ulp of the values; what is left of them after it is taken away counts.
      const double spread = std::sqrt(variance / n + epsilon);
      ASSERT_NEAR(static_cast<double>(layer.data()[row * width + i]), want,
                  2e-6 * (1 + std::abs(want)) + 3e-7 * std::abs(mean) / spread * std::abs(w))
          << "width " << width << " row " << row << " at " << i;
      const double want_rms = value / std::sqrt(squares / n + epsilon) * w;
      ASSERT_NEAR(static_cast<double>(rms.data()[row * width + i]), want_rms,
                  2e-6 * (1 + std::abs(want_rms)));
    }
  }
}

TEST(Normalization, every_width) {
  on_every_instruction_set([] {
    Random random(5);
    for (Index width = 1; width <= 70; ++width) {
      expect_norms(random.normal({3, width}), random.normal({width}), random.normal({width}), 1e-5);
    }
    expect_norms(random.normal({7, 5, 384}), random.normal({384}), random.normal({384}), 1e-12);
  });
}

// The one-pass formula E[x²] − E[x]² would lose all digits here.
TEST(Normalization, a_large_mean_costs_few_digits) {
  on_every_instruction_set([] {
    Random random(6);
    Tensor x = random.normal({4, 100});
    for (Index i = 0; i < 400; ++i) x.data()[i] += 1000;
    expect_norms(x, Tensor::filled({100}, 1), Tensor({100}), 1e-5);
  });
}

// Squares from 1.8e19 on are no float32: such rows came out as zeros, and those near its end as NaN.
TEST(Normalization, rows_near_the_end_of_float32) {
  on_every_instruction_set([] {
    Random random(8);
    for (const float scale : {1e18f, 3e19f, 1e30f, 2e37f}) {
      for (const Index width : {1, 3, 40, 1000}) {
        Tensor x = random.normal({5, width});
        for (Index i = 2 * width; i < 5 * width; ++i) x.data()[i] *= scale;  // beside ordinary rows
        for (Index i = 3 * width; i < 4 * width; ++i) x.data()[i] += 10 * scale;
        expect_norms(x, random.normal({width}), random.normal({width}), 1e-5);
      }
    }
  });
}

TEST(Normalization, what_is_not_a_number_stays) {
  Tensor x = Tensor::from({{1, NAN, 3}, {1, INFINITY, 3}, {1, 2, 3}});
  const Tensor one = Tensor::filled({3}, 1), zero({3});
  const Tensor layer = layer_norm(x, one, zero, 1e-5f), rms = rms_norm(x, one, 1e-5f);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(layer(0, i)) && std::isnan(layer(1, i)) && std::isnan(rms(0, i))) << i;
    EXPECT_TRUE(std::isfinite(layer(2, i)) && std::isfinite(rms(2, i))) << i;
  }
  EXPECT_TRUE(std::isnan(rms(1, 1)));
}

TEST(Normalization, bits_do_not_depend_on_the_threads) {
  Random random(7);
  const Tensor x = random.normal({501, 48}), weight = random.normal({48}), bias = random.normal({48});
  const int before = thread_count();
  set_thread_count(1);
  const Tensor one = layer_norm(x, weight, bias, 1e-5f);
  set_thread_count(4);
  const Tensor four = layer_norm(x, weight, bias, 1e-5f);
  set_thread_count(before);
  for (Index i = 0; i < 501 * 48; ++i) ASSERT_EQ(one.data()[i], four.data()[i]);
}

TEST(Normalization, widths_that_differ_are_an_error) {
  EXPECT_EQ(testing::message_of([] {
              layer_norm(Tensor({2, 3}), Tensor({3}), Tensor({4}), 1e-5f);
            }),
            "[layer norm] x is [2, 3], bias is [4]: expected one value per feature");
}

}  // namespace
}  // namespace fovea
