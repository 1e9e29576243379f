// Numbers that are not finite are found wherever they stand, on every instruction set.
#include "kernels/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/at.h"
#include "support/instruction_sets.h"

namespace fovea::kernels {
namespace {

TEST(Finite, the_largest_numbers_are) {
  fovea::testing::on_every_instruction_set([] {
    constexpr float kLargest = std::numeric_limits<float>::max();
    std::vector<float> values(71, kLargest);
    for (Index i = 0; i < 71; i += 2) values[at(i)] = i % 4 == 0 ? -kLargest : -0.0f;
    for (Index count = 0; count <= 71; ++count) EXPECT_TRUE(all_finite(values.data(), count)) << count;
  });
}

TEST(Finite, infinities_and_nan_are_found_at_every_place) {
  fovea::testing::on_every_instruction_set([] {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float odd : {kInfinity, -kInfinity, std::nanf(""), -std::nanf("")}) {
      std::vector<float> values(71, 1.0f);
      for (Index place = 0; place < 71; ++place) {
        values[at(place)] = odd;
        EXPECT_FALSE(all_finite(values.data(), place + 1)) << odd << " at " << place;
        EXPECT_FALSE(all_finite(values.data(), 71)) << odd << " at " << place;
        EXPECT_TRUE(all_finite(values.data(), place)) << odd << " behind " << place;
        values[at(place)] = 1.0f;
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
