// The two forms of a row, intervals and bits, say the same.
#include <gtest/gtest.h>

#include "fovea/random.h"
#include "mask/intervals.h"
#include "mask/mask_node.h"

namespace fovea {
namespace {

Mask random_dense(Index n, Index m) {
  Random random(3);
  Flags flags = Flags::filled({n, m}, 0);
  for (Index i = 0; i < n * m; ++i) flags.data()[i] = random.uniform() < 0.5;
  return Mask::dense(flags);
}

Tensor with_holes(Index n, Index m) {
  Tensor values = Random(4).normal({n, m});
  for (Index i = 0; i < n * m; i += 5) values.data()[i] = -std::numeric_limits<float>::infinity();
  return values;
}

TEST(VisibleBits, agree_with_intervals) {
  for (const Index m : {1, 2, 63, 64, 65, 128, 200}) {
    const Index n = 40;
    const std::vector<Mask> masks = {Mask::causal(),
                                     Mask::sliding_window(5, 70),
                                     Mask::sparse(1),
                                     Mask::sparse(7),
                                     Mask::sparse(64),
                                     Mask::sparse(1'000'000'000'000'000'000),
                                     Mask::prefix(3),
                                     Mask::lengths({m / 2}),
                                     Mask::causal() & Mask::sliding_window(9, 9) & Mask::lengths({m / 2}),
                                     random_dense(n, m),
                                     random_dense(n, 1),
                                     random_dense(1, m),
                                     Mask::additive(with_holes(n, m)),
                                     !Mask::sparse(9),
                                     Mask::sparse(9) & Mask::causal(),
                                     Mask::sparse(9) | random_dense(n, m),
                                     Mask::additive(with_holes(n, m)) & Mask::additive(with_holes(n, m)),
                                     Mask::additive(with_holes(n, m)) & Mask::sparse(4)};
    for (const Mask& mask : masks) {
      for (Index query = 0; query < n; ++query) {
        const Row row{0, 0, query, n, m};
        Intervals intervals;
        mask.node()->visible_keys(row, intervals);
        KeyBits bits(static_cast<std::size_t>((m + 63) / 64), 12345);
        mask.node()->visible_bits(row, bits);
        KeyBits want(bits.size(), 0);
        for (const Interval& keys : intervals) set_bits(want, keys.begin, keys.end);
        ASSERT_EQ(bits, want) << mask.describe(n, m) << " row " << query << " of " << m << " keys";
        Intervals back;
        append_bits(bits, m, back);
        ASSERT_EQ(back, intervals);
        Interval alone;
        if (!mask.node()->visible_interval(row, alone)) continue;
        ASSERT_LE(intervals.size(), 1U);
        if (intervals.empty()) {
          ASSERT_GE(alone.begin, alone.end);
        } else {
          ASSERT_EQ(alone, intervals.front());
        }
      }
    }
  }
}

}  // namespace
}  // namespace fovea
