#include "ops/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/threads.h"
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

TEST(CrossEntropy, loss_and_gradient_against_the_reference) {
  Random random(8);
  for (const Index classes : {1, 2, 7, 33, 130}) {
    for (const float smoothing : {0.0f, 0.1f}) {
      const Tensor logits = drawn(random, {5, classes}, 4);  // some rows are nearly certain
      std::vector<Index> targets;
      for (int row = 0; row < 5; ++row) targets.push_back(random.below(classes));
      const auto s = static_cast<double>(smoothing);
      const double want = reference::cross_entropy(logits, targets, s);
      const DoubleArray want_gradient = numeric_gradient(
          logits, [&](const DoubleArray& x) { return 0.25 * reference::cross_entropy(x, targets, s); });
      on_every_instruction_set([&] {
        Tensor x = logits;
        const CrossEntropyResult result = cross_entropy(x.view(), targets, {smoothing, true, 0.25f});
        EXPECT_NEAR(result.loss, want, 1e-5 * (1 + std::abs(want)));
        if (classes > 1) expect_close("dlogits", x, want_gradient);
        if (classes == 1) {
          for (Index row = 0; row < 5; ++row) EXPECT_NEAR(x(row, 0), 0, 1e-6f);
        }
      });
    }
  }
}

TEST(CrossEntropy, counts_the_rows_that_are_right) {
  Tensor logits = Tensor::from({{1, 3, 2}, {5, 0, 0}, {0, 0, 1}});
  EXPECT_EQ(cross_entropy(logits.view(), {1, 1, 2}).correct, 2);
}

TEST(CrossEntropy, large_logits_do_not_overflow) {
  on_every_instruction_set([] {
    Tensor logits = Tensor::from({{1e30f, -1e30f, 0}, {-300, -300, -300}});
    const CrossEntropyResult result = cross_entropy(logits.view(), {0, 2});
    EXPECT_NEAR(result.loss, std::log(3.0), 1e-6);
    EXPECT_NEAR(logits(0, 0), 0, 1e-7f);
    EXPECT_NEAR(logits(1, 2), 1.0f / 3 - 1, 1e-6f);
  });
}

TEST(CrossEntropy, a_logit_that_is_not_finite_shows) {
  const float infinity = std::numeric_limits<float>::infinity();
  on_every_instruction_set([infinity] {
    for (Index at = 0; at < 20; ++at) {
      for (const float bad : {infinity, std::nanf("")}) {
        Tensor logits({1, 20});
        logits(0, at) = bad;
        EXPECT_TRUE(std::isnan(cross_entropy(logits.view(), {3}).loss)) << bad << " at " << at;
      }
    }
  });
}

TEST(CrossEntropy, wrong_targets_are_an_error) {
  Tensor logits({2, 4});
  EXPECT_EQ(testing::message_of([&] {
              cross_entropy(logits.view(), {1, 4});
            }),
            "[cross-entropy] target 1 is 4, expected 0 to 3");
  EXPECT_EQ(testing::message_of([&] { cross_entropy(logits.view(), {1}); }),
            "[cross-entropy] logits are [2, 4], expected [1, classes], contiguous: one row per target");
}

}  // namespace
}  // namespace fovea
