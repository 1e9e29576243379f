#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/threads.h"
#include "ops/normalization.h"
#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::drawn;
using testing::expect_close;
using testing::numeric_gradient;
using testing::on_every_instruction_set;
using testing::weighted;

struct NormCase {
  explicit NormCase(Index rows, Index width, float mean = 0)
      : random(static_cast<std::uint64_t>(rows * 1000 + width)),
        x(drawn(random, {rows, width}, 2)),
        weight(drawn(random, {width})),
        bias(drawn(random, {width})),
        dy(drawn(random, {rows, width})) {
    for (Index i = 0; i < rows * width; ++i) x.data()[i] += mean;
  }
  Random random;
  Tensor x, weight, bias, dy;
};

void expect_layer_norm(const NormCase& c, float epsilon) {
  const auto eps = static_cast<double>(epsilon);
  const auto want_dx = numeric_gradient(c.x, [&](const DoubleArray& x) {
    return weighted(reference::layer_norm(x, c.weight, c.bias, eps), c.dy);
  });
  const auto want_dw = numeric_gradient(c.weight, [&](const DoubleArray& w) {
    return weighted(reference::layer_norm(c.x, w, c.bias, eps), c.dy);
  });
  const auto want_db = numeric_gradient(c.bias, [&](const DoubleArray& b) {
    return weighted(reference::layer_norm(c.x, c.weight, b, eps), c.dy);
  });
  on_every_instruction_set([&] {
    Tensor dx(c.x.shape()), dw(c.weight.shape()), db(c.bias.shape());
    layer_norm_backward({c.x, c.dy, c.weight, epsilon, dx.view(), false, dw.view()}, db.view());
    expect_close("dx", dx, want_dx);
    expect_close("dweight", dw, want_dw);
    expect_close("dbias", db, want_db);
  });
}

void expect_rms_norm(const NormCase& c, float epsilon) {
  const auto eps = static_cast<double>(epsilon);
  const auto want_dx = numeric_gradient(
      c.x, [&](const DoubleArray& x) { return weighted(reference::rms_norm(x, c.weight, eps), c.dy); });
  const auto want_dw = numeric_gradient(
      c.weight, [&](const DoubleArray& w) { return weighted(reference::rms_norm(c.x, w, eps), c.dy); });
  on_every_instruction_set([&] {
    Tensor dx(c.x.shape()), dw(c.weight.shape());
    rms_norm_backward({c.x, c.dy, c.weight, epsilon, dx.view(), false, dw.view()});
    expect_close("dx", dx, want_dx);
    expect_close("dweight", dw, want_dw);
  });
}

TEST(NormBackward, layer_norm_against_differences) {
  // Widths 1 and 2: below.
  for (const Index width : {3, 7, 16, 33}) expect_layer_norm(NormCase(3, width), 1e-5f);
  expect_layer_norm(NormCase(70, 5), 1e-5f);     // more than a block of rows
  expect_layer_norm(NormCase(3, 17, 8), 1e-1f);  // a mean, and an epsilon that counts
}

// Of a row of one or two numbers nothing but the epsilon lets a gradient through: dx is the small
// difference of large terms, as far off as those are rounded: some units in the last place of dy · weight /
// deviation.
TEST(NormBackward, rows_of_one_and_two_numbers_are_off_by_rounding_only) {
  for (const Index width : {1, 2}) {
    const NormCase c(5, width);
    const auto of_layer = numeric_gradient(c.x, [&](const DoubleArray& x) {
      return weighted(reference::layer_norm(x, c.weight, c.bias, 1e-5), c.dy);
    });
    const auto of_rms = numeric_gradient(
        c.x, [&](const DoubleArray& x) { return weighted(reference::rms_norm(x, c.weight, 1e-6), c.dy); });
    on_every_instruction_set([&] {
      Tensor dx(c.x.shape()), rms_dx(c.x.shape()), dw({width}), db({width});
      layer_norm_backward({c.x, c.dy, c.weight, 1e-5f, dx.view(), false, dw.view()}, db.view());
      rms_norm_backward({c.x, c.dy, c.weight, 1e-6f, rms_dx.view(), false, dw.view()});
      for (Index row = 0; row < 5; ++row) {
        double mean = 0, squares = 0, variance = 0, largest = 0;
        for (Index i = 0; i < width; ++i) {
          const auto x = static_cast<double>(c.x(row, i));
          mean += x / static_cast<double>(width), squares += x * x / static_cast<double>(width);
          largest = std::max(largest, std::abs(static_cast<double>(c.dy(row, i) * c.weight(i))));
        }
        for (Index i = 0; i < width; ++i) {
          const double difference = static_cast<double>(c.x(row, i)) - mean;
          variance += difference * difference / static_cast<double>(width);
        }
        // Where the numbers of a row are close to each other, the rounding of their mean counts, and so
        // does the third derivative in the differences.
        const double deviation = std::sqrt(variance + 1e-5), root = std::sqrt(squares + 1e-6);
        const double unit = 8 * 0x1p-23 * largest, step = 0x1p-26 * largest;
        const double of_layer_error =
            unit * (1 + std::abs(mean) / deviation) / deviation + step / std::pow(deviation, 3);
        const double of_rms_error = unit / root + step / std::pow(root, 3);
        for (Index i = 0; i < width; ++i) {
          const auto at = static_cast<std::size_t>(row * width + i);
          EXPECT_NEAR(static_cast<double>(dx(row, i)), of_layer.values[at], of_layer_error)
              << "width " << width << ", row " << row;
          EXPECT_NEAR(static_cast<double>(rms_dx(row, i)), of_rms.values[at], of_rms_error)
              << "width " << width << ", row " << row;
        }
      }
    });
  }
}

TEST(NormBackward, rms_norm_against_differences) {
  for (const Index width : {2, 3, 7, 16, 33}) expect_rms_norm(NormCase(3, width), 1e-2f);
  expect_rms_norm(NormCase(70, 5), 1e-6f);
}

// An output does not change when its row is multiplied: with s times the row, dx is an s-th and dweight the
// same. Squares of these rows are no float32.
TEST(NormBackward, rows_near_the_end_of_float32) {
  constexpr float kScale = 0x1p80f;
  on_every_instruction_set([] {
    for (const Index width : {3, 40}) {
      const NormCase c(70, width);
      Tensor large = c.x;
      for (Index i = 0; i < large.shape().elements(); ++i) large.data()[i] *= kScale;
      for (const bool centred : {true, false}) {
        const auto gradients = [&](const Tensor& x, Tensor& dx, Tensor& dw, Tensor& db) {
          const NormBackward norm = {x, c.dy, c.weight, 1e-30f, dx.view(), false, dw.view()};
          centred ? layer_norm_backward(norm, db.view()) : rms_norm_backward(norm);
        };
        Tensor dx(c.x.shape()), dw({width}), db({width}), large_dx(c.x.shape()), large_dw({width}),
            large_db({width});
        gradients(c.x, dx, dw, db);
        gradients(large, large_dx, large_dw, large_db);
        for (Index i = 0; i < dx.shape().elements(); ++i) {
          ASSERT_NEAR(large_dx.data()[i] * kScale, dx.data()[i], 2e-5f * (1 + std::abs(dx.data()[i])))
              << width << " " << centred << " " << i;
        }
        for (Index i = 0; i < width; ++i) {
          ASSERT_NEAR(large_dw(i), dw(i), 1e-4f) << width << " " << centred;
          ASSERT_EQ(large_db(i), db(i));
        }
      }
    }
  });
}

TEST(NormBackward, gradients_are_added_where_asked_for) {
  on_every_instruction_set([] {
    const NormCase c(67, 19);
    Tensor dx(c.x.shape()), dw(c.weight.shape()), db(c.bias.shape());
    layer_norm_backward({c.x, c.dy, c.weight, 1e-5f, dx.view(), false, dw.view()}, db.view());
    Tensor more_dx = c.dy, more_dw = dw, more_db = db;
    layer_norm_backward({c.x, c.dy, c.weight, 1e-5f, more_dx.view(), true, more_dw.view()}, more_db.view());
    for (Index i = 0; i < 67 * 19; ++i) {
      ASSERT_NEAR(more_dx.data()[i], c.dy.data()[i] + dx.data()[i], 1e-5f);
    }
    for (Index i = 0; i < 19; ++i) {
      ASSERT_NEAR(more_dw(i), 2 * dw(i), 1e-4f);
      ASSERT_NEAR(more_db(i), 2 * db(i), 1e-4f);
    }
  });
}

TEST(NormBackward, dx_may_stand_where_dy_was) {
  on_every_instruction_set([] {
    const NormCase c(5, 21);
    Tensor dx(c.x.shape()), dw(c.weight.shape()), db(c.bias.shape()), in_place = c.dy;
    layer_norm_backward({c.x, c.dy, c.weight, 1e-5f, dx.view(), false, dw.view()}, db.view());
    layer_norm_backward({c.x, in_place, c.weight, 1e-5f, in_place.view(), false, dw.view()}, db.view());
    for (Index i = 0; i < 5 * 21; ++i) ASSERT_EQ(in_place.data()[i], dx.data()[i]);
  });
}

TEST(NormBackward, bits_do_not_depend_on_the_threads) {
  const NormCase c(501, 48);
  const int before = thread_count();
  const auto gradient = [&](int threads) {
    set_thread_count(threads);
    Tensor dx(c.x.shape()), dw(c.weight.shape()), db(c.bias.shape());
    layer_norm_backward({c.x, c.dy, c.weight, 1e-5f, dx.view(), false, dw.view()}, db.view());
    return dw;
  };
  const Tensor one = gradient(1), four = gradient(4);
  set_thread_count(before);
  for (Index i = 0; i < 48; ++i) ASSERT_EQ(one(i), four(i));
}

TEST(NormBackward, shapes_that_differ_are_an_error) {
  EXPECT_EQ(testing::message_of([] {
              Tensor dx({2, 3}), dw({3}), db({3});
              layer_norm_backward(
                  {Tensor({2, 3}), Tensor({2, 4}), Tensor({3}), 1e-5f, dx.view(), false, dw.view()},
                  db.view());
            }),
            "[layer norm] x is [2, 3], dy is [2, 4]: expected [rows, E], contiguous");
}

}  // namespace
}  // namespace fovea
