#include "fovea/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "fovea/error.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// exp errs by 1 ulp and the shift by half of one of |x − max|, the sum by √length roundings.
void expect_softmax(ConstView x, int axis) {
  const Tensor got = softmax(x, axis);
  const reference::DoubleArray want = reference::softmax(x, axis);
  ASSERT_EQ(got.shape(), x.shape());
  for (Index i = 0; i < got.shape().elements(); ++i) {
    const double w = want.values[static_cast<std::size_t>(i)];
    const double shift = w > 0 ? -std::log(w) : 0;
    const double tolerance =
        w * 6e-8 * (6 + shift + std::sqrt(static_cast<double>(x.shape().back()))) + 2e-38;
    ASSERT_NEAR(static_cast<double>(got.data()[i]), w, tolerance) << "axis " << axis << " at " << i;
  }
}

TEST(Softmax, every_axis_and_length) {
  on_every_instruction_set([] {
    Random random(1);
    for (Index length = 1; length <= 35; ++length) {
      Tensor x = random.normal({3, length});
      for (Index i = 0; i < 3 * length; ++i) x.data()[i] *= 5;
      expect_softmax(x, -1);
      expect_softmax(x, 0);
      expect_softmax(x.view().transpose(0, 1), 0);
    }
    const Tensor x = random.normal({2, 3, 4, 5, 6});
    for (int axis = -5; axis < 5; ++axis) expect_softmax(x, axis);
    expect_softmax(random.normal({5000, 3}), 1);
    expect_softmax(random.normal({3, 5000}), 0);
  });
}

TEST(Softmax, the_reference_refuses_an_axis_that_is_not_there) {
  const reference::DoubleArray x(Shape{2, 3});
  EXPECT_THROW(reference::softmax(x, 2), Error);
  EXPECT_THROW(reference::softmax(x, -3), Error);
}

// The maximum is taken of each row: with the global one, the first row would be 0 / 0.
TEST(Softmax, rows_far_below_the_global_maximum_survive) {
  on_every_instruction_set([] {
    const Tensor x = Tensor::from({{-1000, -1001}, {1000, 999}});
    const Tensor y = softmax(x);
    EXPECT_NEAR(y(0, 0), 0.7310586f, 1e-6);
    EXPECT_NEAR(y(1, 1), 0.2689414f, 1e-6);
    const Tensor columns = softmax(x.view().transpose(0, 1), 0);
    EXPECT_NEAR(columns(0, 0), 0.7310586f, 1e-6);
  });
}

TEST(Softmax, infinities_and_nan) {
  on_every_instruction_set([] {
    const float nan = std::nanf("");
    const Tensor x =
        Tensor::from({{0, -kInfinity, 0}, {-kInfinity, -kInfinity, -kInfinity}, {1, nan, 2}, {1, 2, 3}});
    for (const bool by_column : {false, true}) {
      const Tensor y = by_column ? Tensor::copy_of(std::as_const(x).view()) : softmax(x);
      const Tensor t = by_column ? softmax(x.view().transpose(0, 1), 0) : Tensor();
      const auto at = [&](Index i, Index j) { return by_column ? t(j, i) : y(i, j); };
      EXPECT_EQ(at(0, 0), 0.5f);
      EXPECT_EQ(at(0, 1), 0.0f);
      for (Index j = 0; j < 3; ++j) EXPECT_EQ(at(1, j), 0.0f);
      for (Index j = 0; j < 3; ++j) EXPECT_TRUE(std::isnan(at(2, j))) << by_column << j;
      EXPECT_NEAR(at(3, 2), 0.66524096f, 1e-6);
    }
  });
}

TEST(Softmax, empty_and_wrong) {
  EXPECT_EQ(softmax(Tensor({3, 0})).shape(), (Shape{3, 0}));
  EXPECT_EQ(softmax(Tensor({0, 3}), 0).shape(), (Shape{0, 3}));
  EXPECT_THROW(softmax(Tensor({3, 2}), 2), Error);
  EXPECT_THROW(softmax(Tensor({3, 2}), -3), Error);
  EXPECT_THROW(softmax(Tensor()), Error);
}

TEST(Softmax, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  const Tensor x = Random(2).normal({500, 70});
  set_thread_count(1);
  const Tensor one = softmax(x);
  set_thread_count(4);
  const Tensor four = softmax(x);
  set_thread_count(before);
  EXPECT_EQ(std::memcmp(one.data(), four.data(), sizeof(float) * 500 * 70), 0);
}

}  // namespace
}  // namespace fovea
