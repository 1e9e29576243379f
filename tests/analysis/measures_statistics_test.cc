// What the fused statistics say is what the measures of explicit weights say.
#include <gtest/gtest.h>

#include "fovea/attention_statistics.h"
#include "fovea/measures.h"
#include "fovea/random.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

TEST(MeasuresStatistics, agree_with_those_of_explicit_weights) {
  testing::on_every_instruction_set([] {
    Random random(10);
    const Tensor q = random.normal({2, 3, 50, 16}), k = random.normal({2, 3, 70, 16});
    for (const Mask& mask : {Mask(), Mask::causal(), Mask::lengths({0, 33}), Mask::sliding_window(7, 0)}) {
      const AttentionStatistics s = attention_statistics(q, k, {.mask = mask});
      const AttentionMeasures measures =
          measure_attention(attention(q, k, k, {.mask = mask, .weights = true}).weights, mask);
      for (Index b = 0; b < 2; ++b) {
        for (Index h = 0; h < 3; ++h) {
          const HeadMeasures& head =
              measures.heads[static_cast<std::size_t>(b)][static_cast<std::size_t>(h)];
          EXPECT_EQ(s.means.rows_seeing(b, h), head.rows_seeing);
          if (head.rows_seeing > 0) {
            EXPECT_NEAR(s.means.entropy(b, h), head[Measure::entropy], 3e-6);
            EXPECT_NEAR(s.means.maximum(b, h), head[Measure::confidence], 1e-6);
            EXPECT_NEAR(s.means.distance(b, h), head[Measure::distance], 1e-4);
          }
          for (Index i = 0; i < 50; ++i) {
            EXPECT_NEAR(s.entropy(b, h, i), head.rows(Measure::entropy)[static_cast<std::size_t>(i)], 5e-6);
            EXPECT_NEAR(s.diagonal(b, h, i), head.rows(Measure::diagonal)[static_cast<std::size_t>(i)],
                        2e-6);
          }
          for (Index j = 0; j < 70; ++j) {
            EXPECT_NEAR(s.received(b, h, j), head.received[static_cast<std::size_t>(j)], 1e-5);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace fovea
