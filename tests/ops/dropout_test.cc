#include "ops/dropout.h"

#include <gtest/gtest.h>

#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::drawn;
using testing::expect_close;
using testing::on_every_instruction_set;

TEST(Dropout, as_the_reference_with_and_without_a_residual) {
  Random random(5);
  for (const Index width : {1, 9, 40}) {
    const Tensor x = drawn(random, {13, width}), residual = drawn(random, {13, width});
    const reference::DoubleArray want = reference::dropout(x, 0.3f, 77);
    reference::DoubleArray sum = want;
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
      sum.values[i] += static_cast<double>(residual.data()[i]);
    }
    on_every_instruction_set([&] {
      Tensor y(x.shape()), in_place = x;
      dropout(x, {0.3f, 77}, y.view());
      expect_close("y", y, want, 1e-6);
      add_dropout(in_place, residual, {0.3f, 77}, in_place.view());
      expect_close("y + residual", in_place, sum, 1e-6);
    });
  }
}

// The map is linear: its gradient is the same call on dy.
TEST(Dropout, gradient_against_differences) {
  Random random(6);
  const Tensor x = drawn(random, {4, 11}), dy = drawn(random, {4, 11});
  const reference::DoubleArray want = testing::numeric_gradient(x, [&](const reference::DoubleArray& at) {
    return testing::weighted(reference::dropout(at, 0.4f, 3), dy);
  });
  Tensor dx(x.shape());
  dropout(dy, {0.4f, 3}, dx.view());
  expect_close("dx", dx, want);
}

TEST(Dropout, the_share_that_is_dropped) {
  const Tensor ones = Tensor::filled({100, 100}, 1);
  Tensor y({100, 100});
  dropout(ones, {0.25f, 9}, y.view());
  Index zeros = 0;
  for (Index i = 0; i < 10000; ++i) zeros += y.data()[i] == 0;
  EXPECT_NEAR(static_cast<double>(zeros), 2500, 150);
  Tensor other({100, 100});
  dropout(ones, {0.25f, 10}, other.view());
  Index both = 0;
  for (Index i = 0; i < 10000; ++i) both += y.data()[i] == 0 && other.data()[i] == 0;
  EXPECT_NEAR(static_cast<double>(both), 625, 100);  // another seed, other elements
}

TEST(Dropout, p_must_be_a_share) {
  Tensor x({1, 2});
  EXPECT_EQ(testing::message_of([&] {
              dropout(x, {1.0f, 0}, x.view());
            }),
            "[dropout] p is 1, expected 0 ≤ p < 1");
}

}  // namespace
}  // namespace fovea
