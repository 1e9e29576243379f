#include "fovea/linear_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/linear_attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

// For φ ≥ 0 nothing cancels in the norm: the error is a few √length roundings of Σ weight·|v| / norm ≤
// max|v|.
void expect_linear(ConstView q, ConstView k, ConstView v, const LinearAttentionOptions& options = {}) {
  const Tensor got = linear_attention(q, k, v, options);
  const reference::DoubleArray want = reference::linear_attention(q, k, v, options);
  ASSERT_EQ(got.shape(), want.shape);
  double largest = 0;
  for (const double value : reference::DoubleArray(v).values) largest = std::max(largest, std::abs(value));
  const double tolerance =
      6e-8 * (8 + std::sqrt(static_cast<double>(k.shape().back(1) + q.shape().back()))) * largest;
  for (Index i = 0; i < got.shape().elements(); ++i) {
    ASSERT_NEAR(static_cast<double>(got.data()[i]), want.values[static_cast<std::size_t>(i)], tolerance)
        << "at " << i;
  }
}

TEST(LinearAttention, matches_the_pairwise_formula) {
  on_every_instruction_set([] {
    Random random(1);
    for (const bool causal : {false, true}) {
      for (const Index n : {0, 1, 40}) {
        for (const Index m : {0, 1, 7, 300}) {
          SCOPED_TRACE("n " + std::to_string(n) + " m " + std::to_string(m));
          for (const FeatureMap& map : {FeatureMap::elu_plus_one(), FeatureMap::relu(), FeatureMap::exp(),
                                        FeatureMap::custom([](float x) { return x * x + 0.5f; })}) {
            expect_linear(random.normal({2, 4, n, 9}), random.normal({2, 2, m, 9}),
                          random.normal({2, 2, m, 11}), {.feature_map = map, .causal = causal});
          }
        }
      }
    }
  });
}

TEST(LinearAttention, every_width) {
  on_every_instruction_set([] {
    Random random(2);
    for (Index d = 1; d <= 18; ++d) {
      for (Index dv = 1; dv <= 18; ++dv) {
        expect_linear(random.normal({6, d}), random.normal({8, d}), random.normal({8, dv}));
      }
    }
  });
}

TEST(LinearAttention, identity_map_by_hand) {
  // φ = identity: weights 1·2 = 2 and 1·3 = 3; (2·10 + 3·20) / 5.
  const Tensor out =
      linear_attention(Tensor::from({{1}}), Tensor::from({{2}, {3}}), Tensor::from({{10}, {20}}),
                       {.feature_map = FeatureMap::identity(), .epsilon = 0});
  EXPECT_NEAR(out(0, 0), 16.0f, 1e-5);
}

TEST(LinearAttention, strides_and_ranks) {
  on_every_instruction_set([] {
    Random random(3);
    const Tensor x = random.normal({2, 12, 3, 10});  // [B, N, H, D]
    const ConstView view = x.view().transpose(1, 2).slice(3, 0, 10, 2);
    expect_linear(view, view, view, {.causal = true});
    expect_linear(random.normal({2, 5, 4}), random.normal({2, 6, 4}), random.normal({2, 6, 3}));
    expect_linear(random.normal({2, 3, 2, 5, 4}), random.normal({2, 3, 1, 6, 4}),
                  random.normal({2, 3, 1, 6, 3}));
  });
}

TEST(LinearAttention, elu_plus_one_keeps_small_values) {
  on_every_instruction_set([] {
    // exp(−20) = 2e-9 would be lost in exp(x) − 1 + 1; here it is the only weight there is.
    const Tensor out =
        linear_attention(Tensor::from({{-5}}), Tensor::from({{-20}}), Tensor::from({{3}}), {.epsilon = 0});
    EXPECT_NEAR(out(0, 0), 3.0f, 1e-5);
  });
  EXPECT_NEAR(FeatureMap::elu_plus_one()(-20.0f), 2.0611537e-9f, 1e-15);
  EXPECT_EQ(FeatureMap::elu_plus_one()(2.0f), 3.0f);
}

// Two keys, x with value 1 and 0 with value 0: the output is φ(x) / (φ(x) + φ(0)).
TEST(LinearAttention, exponentials_within_a_few_ulps) {
  on_every_instruction_set([] {
    for (const FeatureMap& map : {FeatureMap::elu_plus_one(), FeatureMap::exp()}) {
      for (double x = -87; x <= 40; x += 0.37) {
        const float key = static_cast<float>(x);
        const Tensor out = linear_attention(Tensor::from({{0}}), Tensor::from({{key}, {0}}),
                                            Tensor::from({{1}, {0}}), {.feature_map = map, .epsilon = 0});
        const double exponential = std::exp(static_cast<double>(key));
        const double feature =
            map.kind() == FeatureMap::Kind::exp || key < 0 ? exponential : static_cast<double>(key) + 1;
        const double want = feature / (feature + 1);
        ASSERT_NEAR(static_cast<double>(out(0, 0)), want, 6e-8 * 8 * want) << "x = " << key;
      }
    }
  });
}

TEST(LinearAttention, extreme_inputs_of_the_feature_maps) {
  on_every_instruction_set([] {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto output = [](const FeatureMap& map, float key) {
      return linear_attention(Tensor::from({{0}}), Tensor::from({{key}, {0}}), Tensor::from({{1}, {0}}),
                              {.feature_map = map, .epsilon = 0})(0, 0);
    };
    for (const FeatureMap& map : {FeatureMap::elu_plus_one(), FeatureMap::exp()}) {
      EXPECT_EQ(output(map, -kInfinity), 0.0f);
      EXPECT_EQ(output(map, -1e30f), 0.0f);
      EXPECT_NEAR(output(map, -95.0f), std::exp(-95.0f), 3e-45);  // a denormal number
      EXPECT_TRUE(std::isnan(output(map, kInfinity)));            // inf / inf
      EXPECT_TRUE(std::isnan(output(map, std::nanf(""))));
    }
    EXPECT_EQ(output(FeatureMap::elu_plus_one(), 1e30f), 1.0f);
    EXPECT_TRUE(std::isnan(output(FeatureMap::exp(), 120.0f)));  // float32 overflows
    EXPECT_TRUE(std::isnan(output(FeatureMap::relu(), std::nanf(""))));
    EXPECT_TRUE(std::isnan(output(FeatureMap::identity(), std::nanf(""))));
  });
}

// A value that is not finite in the same block, after the query.
TEST(LinearAttention, later_values_do_not_reach_earlier_queries) {
  on_every_instruction_set([] {
    Random random(9);
    const Tensor q = random.normal({70, 5}), k = random.normal({70, 5});
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
      Tensor v = random.normal({70, 3});
      v(40, 1) = bad;
      const Tensor out = linear_attention(q, k, v, {.causal = true});
      for (Index i = 0; i < 70; ++i) {
        EXPECT_EQ(std::isfinite(out(i, 1)), i < 40) << i;
        EXPECT_TRUE(std::isfinite(out(i, 0))) << i;
      }
    }
  });
}

// A denominator outside the range whose reciprocal is a float32: the quotient still is one.
TEST(LinearAttention, tiny_and_huge_denominators) {
  on_every_instruction_set([] {
    for (const float size : {1e-19f, 5e-20f, 1e18f, 6e18f}) {
      for (const bool causal : {false, true}) {
        const Tensor x = Tensor::from({{size}, {size}});
        const Tensor out =
            linear_attention(x, x, Tensor::from({{3}, {3}}),
                             {.feature_map = FeatureMap::relu(), .causal = causal, .epsilon = 0});
        EXPECT_NEAR(out(0, 0), 3, 3e-6) << size;
        EXPECT_NEAR(out(1, 0), 3, 3e-6) << size;
      }
    }
  });
}

// Every number of queries and keys around the tiles of 4, 6 and 12 rows and the block of 64.
TEST(LinearAttention, every_remainder_of_rows) {
  on_every_instruction_set([] {
    Random random(10);
    for (const bool causal : {false, true}) {
      for (Index n = 0; n <= 26; ++n) {
        for (const Index m : {n, n + 1, n + 13, Index{5}}) {
          SCOPED_TRACE("n " + std::to_string(n) + " m " + std::to_string(m));
          expect_linear(random.normal({n, 5}), random.normal({m, 5}), random.normal({m, 6}),
                        {.causal = causal});
        }
      }
      for (const Index n : {63, 64, 65, 127, 128, 129, 257}) {
        for (const Index m : {63, 64, 65, 191, 256, 257}) {
          SCOPED_TRACE("n " + std::to_string(n) + " m " + std::to_string(m));
          expect_linear(random.normal({n, 8}), random.normal({m, 8}), random.normal({m, 8}),
                        {.causal = causal});
        }
      }
    }
  });
}

TEST(LinearAttention, wide_heads) {
  on_every_instruction_set([] {
    Random random(11);
    for (const bool causal : {false, true}) {
      for (const auto& [d, dv] : {std::pair<Index, Index>{300, 33}, {24, 200}, {64, 64}, {80, 72}}) {
        expect_linear(random.normal({70, d}), random.normal({90, d}), random.normal({90, dv}),
                      {.causal = causal});
      }
    }
  });
}

// Rows that begin anywhere: vectors must not read past them, nor assume that they are aligned.
TEST(LinearAttention, unaligned_rows) {
  on_every_instruction_set([] {
    Random random(12);
    for (const Index begin : {1, 3, 8}) {
      const Tensor q = random.normal({20, 8 + begin}), k = random.normal({20, 8 + begin}),
                   v = random.normal({20, 16 + begin});
      expect_linear(q.view().slice(1, begin, 8 + begin), k.view().slice(1, begin, 8 + begin),
                    v.view().slice(1, begin, 16 + begin), {.causal = begin == 3});
    }
  });
}

TEST(LinearAttention, nan_reaches_only_what_depends_on_it) {
  on_every_instruction_set([] {
    Random random(4);
    const Tensor q = random.normal({6, 5}), v = random.normal({6, 3});
    Tensor k = random.normal({6, 5});
    k(4, 1) = std::nanf("");
    const Tensor out = linear_attention(q, k, v, {.causal = true});
    for (Index i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(out(i, 0))) << i;
    for (Index i = 4; i < 6; ++i) EXPECT_TRUE(std::isnan(out(i, 0))) << i;
  });
}

TEST(LinearAttention, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  Random random(5);
  // 1 head, 3 key heads of 2 and 8 heads: heads are shared out, or their chunks.
  for (const auto& [heads, key_heads] : {std::pair<Index, Index>{1, 1}, {6, 3}, {8, 8}}) {
    const Tensor q = random.normal({1, heads, 1000, 16}), k = random.normal({1, key_heads, 1100, 16}),
                 v = random.normal({1, key_heads, 1100, 12});
    for (const bool causal : {false, true}) {
      set_thread_count(1);
      const Tensor one = linear_attention(q, k, v, {.causal = causal});
      for (const int threads : {2, 3, 5}) {
        set_thread_count(threads);
        const Tensor more = linear_attention(q, k, v, {.causal = causal});
        EXPECT_EQ(std::memcmp(one.data(), more.data(),
                              sizeof(float) * static_cast<std::size_t>(one.shape().elements())),
                  0)
            << heads << " heads, " << threads << " threads";
      }
    }
  }
  set_thread_count(before);
}

TEST(LinearAttention, without_keys_zeros_even_without_epsilon) {
  for (const bool causal : {false, true}) {
    const Tensor out =
        linear_attention(Tensor({2, 3}), Tensor({0, 3}), Tensor({0, 4}), {.causal = causal, .epsilon = 0});
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(out.data()[i], 0.0f);
  }
}

TEST(LinearAttention, errors) {
  EXPECT_THROW(linear_attention(Tensor({3, 4}), Tensor({3, 5}), Tensor({3, 4})), Error);
  EXPECT_THROW(linear_attention(Tensor({3, 4}), Tensor({3, 4}), Tensor({3, 4}), {.epsilon = -1}), Error);
  EXPECT_THROW(FeatureMap::custom(nullptr), Error);
}

}  // namespace
}  // namespace fovea
