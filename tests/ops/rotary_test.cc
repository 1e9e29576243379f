#include "ops/rotary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/random.h"
#include "support/instruction_sets.h"

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

}  // namespace
}  // namespace fovea
