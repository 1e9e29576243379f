#include "ops/rotary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/random.h"
#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

TEST(Rotary, turns_pairs_by_position) {
  testing::on_every_instruction_set([] {
    Random random(8);
    for (const Index width : {2, 6, 16, 34, 64}) {
      std::vector<double> frequencies;
      for (Index i = 0; i < width / 2; ++i) {
        frequencies.push_back(
            std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
      }
      const Tensor x = random.normal({2, 5, 3, width});
      Tensor turned = x;
      rotate_positions(turned.view(), 1000, frequencies);
      for (Index b = 0; b < 2; ++b) {
        for (Index n = 0; n < 5; ++n) {
          for (Index h = 0; h < 3; ++h) {
            for (Index i = 0; i < width / 2; ++i) {
              const double angle = static_cast<double>(1000 + n) * frequencies[static_cast<std::size_t>(i)];
              const double first = static_cast<double>(x(b, n, h, i));
              const double second = static_cast<double>(x(b, n, h, i + width / 2));
              ASSERT_NEAR(static_cast<double>(turned(b, n, h, i)),
                          first * std::cos(angle) - second * std::sin(angle), 1e-6);
              ASSERT_NEAR(static_cast<double>(turned(b, n, h, i + width / 2)),
                          second * std::cos(angle) + first * std::sin(angle), 1e-6);
            }
          }
        }
      }
    }
  });
}

TEST(RotaryTable, turns_as_the_reference_and_back) {
  Random random(12);
  const std::vector<double> frequencies = {1.0, 0.3, 0.01};
  const RotaryTable table(9, frequencies);
  const Tensor x = testing::drawn(random, {2, 7, 3, 6}), dy = testing::drawn(random, {2, 7, 3, 6});
  const reference::DoubleArray want = reference::rotate(x, frequencies);
  const reference::DoubleArray want_dx =
      testing::numeric_gradient(x, [&](const reference::DoubleArray& at) {
        return testing::weighted(reference::rotate(at, frequencies), dy);
      });
  testing::on_every_instruction_set([&] {
    Tensor y = x, dx = dy;
    table.rotate(y.view());
    testing::expect_close("y", y, want, 1e-6);
    table.rotate_back(dx.view());  // the gradient of a rotation is the rotation back
    testing::expect_close("dx", dx, want_dx, 1e-6);
    table.rotate_back(y.view());
    testing::expect_close("there and back", y, x, 1e-6);
  });
}

TEST(RotaryTable, too_many_positions_are_an_error) {
  Tensor x({1, 5, 1, 2});
  EXPECT_EQ(testing::message_of([&] { RotaryTable(4, {1.0}).rotate(x.view()); }),
            "[rotary] x is [1, 5, 1, 2], expected [B, up to 4, heads, 2] with contiguous rows");
}

}  // namespace
}  // namespace fovea
