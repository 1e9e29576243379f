// Means of values whose sum is no float32.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/attention.h"
#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "ops/attention_concat.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

constexpr float kHuge = 1e37f;

// [M, 3]: 1e37, ordinary numbers, ±3e38 by turns.
Tensor mixed_values(Index keys) {
  Tensor v = Tensor::uninitialized({keys, 3});
  for (Index j = 0; j < keys; ++j) {
    v(j, 0) = kHuge;
    v(j, 1) = static_cast<float>(j);
    v(j, 2) = j % 2 == 0 ? 3e38f : -3e38f;
  }
  return v;
}

TEST(LargeValues, mean_is_finite) {
  on_every_instruction_set([] {
    for (const Index queries : {1, 100}) {  // decoding, strips
      const Tensor q({queries, 4}), k({1000, 4}), v = mixed_values(1000);
      const Tensor out = attention(q, k, v).output;
      for (Index i = 0; i < queries; ++i) {
        EXPECT_NEAR(out(i, 0) / kHuge, 1.0f, 1e-5f);
        EXPECT_NEAR(out(i, 1), 499.5f, 1e-3f);
        EXPECT_LT(std::abs(out(i, 2)), 3e34f);
      }
    }
  });
}

TEST(LargeValues, agree_with_smaller_ones) {
  on_every_instruction_set([] {
    Random random(3);
    const Tensor q = random.normal({2, 4, 70, 8}), k = random.normal({2, 2, 300, 8});
    Tensor small = random.normal({2, 2, 300, 5});
    Tensor large = small;
    for (Index i = 0; i < large.shape().elements(); ++i) large.data()[i] *= 0x1p125f;
    for (const char* mask : {"none", "causal", "sparse(7)"}) {
      for (const float dropout : {0.0f, 0.2f}) {
        const AttentionOptions options = {.mask = parse_mask(mask), .dropout = dropout, .weights = true};
        const AttentionResult a = attention(q, k, small, options), b = attention(q, k, large, options);
        for (Index i = 0; i < a.output.shape().elements(); ++i) {
          ASSERT_EQ(a.output.data()[i] * 0x1p125f, b.output.data()[i]) << mask << " " << i;
        }
        for (Index i = 0; i < a.weights.shape().elements(); ++i) {
          ASSERT_EQ(a.weights.data()[i], b.weights.data()[i]);
        }
      }
    }
  });
}

// Whole vectors of columns and those left over; heads below each other and side by side.
TEST(LargeValues, in_every_column) {
  on_every_instruction_set([] {
    constexpr Index kKeys = 100, kWidth = 37;
    const Tensor q({1, 2, 60, 4}), k({1, 2, kKeys, 4});
    Tensor v = Tensor::filled({1, 2, kKeys, kWidth}, 1.0f);
    for (const Index column : {0, 7, 15, 16, 31, 32, 36}) {
      for (Index j = 0; j < kKeys; ++j) v(0, 1, j, column) = kHuge;
      EXPECT_NEAR(attention(q, k, v).output(0, 1, 59, column) / kHuge, 1.0f, 1e-5f) << column;
      EXPECT_NEAR(attention_concat(q, k, v, {}).output(0, 59, kWidth + column) / kHuge, 1.0f, 1e-5f)
          << column;
      for (Index j = 0; j < kKeys; ++j) v(0, 1, j, column) = 1.0f;
    }
  });
}

// Rows that are NaN stay so, and rows that were finite keep their bits.
TEST(LargeValues, what_is_not_a_number_stays) {
  Random random(5);
  Tensor q = random.normal({3, 4});
  const Tensor k({200, 4});
  Tensor v = mixed_values(200);
  q(1, 2) = NAN;
  const Tensor out = attention(q, k, v).output;
  EXPECT_NEAR(out(0, 0) / kHuge, 1.0f, 1e-5f);
  EXPECT_TRUE(std::isnan(out(1, 0)));
  EXPECT_EQ(out(0, 1), attention(q, k, mixed_values(200).view().slice(1, 1, 2)).output(0, 0));
  v(7, 0) = INFINITY;
  EXPECT_EQ(attention(q, k, v).output(2, 0), INFINITY);
}

TEST(LargeValues, in_linear_attention) {
  on_every_instruction_set([] {
    const Index tokens = 700;
    const Tensor q = Tensor::filled({tokens, 4}, 0.5f), k = Tensor::filled({tokens, 4}, 2.0f);
    const Tensor v = mixed_values(tokens);
    for (const bool causal : {false, true}) {
      const Tensor out = linear_attention(q, k, v, {.causal = causal});
      for (Index i = 0; i < tokens; ++i) ASSERT_NEAR(out(i, 0) / kHuge, 1.0f, 1e-4f) << causal << " " << i;
      EXPECT_NEAR(out(tokens - 1, 1), 349.5f, 1e-2f);
    }
  });
}

TEST(LargeValues, in_a_stream) {
  on_every_instruction_set([] {
    const Index tokens = 700;
    const Tensor q = Tensor::filled({tokens, 4}, 0.5f), k = Tensor::filled({tokens, 4}, 2.0f);
    Tensor v = Tensor::filled({tokens, 3}, 2.0f);  // ordinary numbers first
    for (Index j = 300; j < tokens; ++j) v(j, 0) = v(j, 1) = kHuge;
    LinearAttentionStream stream({.d_k = 4, .d_v = 3});
    double sum = 0;
    for (Index t = 0; t < tokens; ++t) {
      const auto token = [t](const Tensor& x) { return x.view().slice(0, t, t + 1); };
      const Tensor out = stream.append(token(q), token(k), token(v));
      sum += static_cast<double>(v(t, 0));
      ASSERT_NEAR(out(0, 0) / (sum / static_cast<double>(t + 1)), 1.0, 1e-4) << t;
      ASSERT_NEAR(out(0, 2), 2.0f, 1e-4f) << t;
    }
    stream.reset();
    const Tensor again =
        stream.append(q.view().slice(0, 0, 1), k.view().slice(0, 0, 1), v.view().slice(0, 0, 1));
    EXPECT_NEAR(again(0, 0), 2.0f, 1e-4f);
  });
}

}  // namespace
}  // namespace fovea
