#include "fovea/linear_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

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
  const Tensor q = random.normal({2, 1000, 16}), k = random.normal({2, 1000, 16}),
               v = random.normal({2, 1000, 16});
  for (const bool causal : {false, true}) {
    set_thread_count(1);
    const Tensor one = linear_attention(q, k, v, {.causal = causal});
    for (const int threads : {2, 5}) {
      set_thread_count(threads);
      EXPECT_EQ(std::memcmp(one.data(), linear_attention(q, k, v, {.causal = causal}).data(),
                            sizeof(float) * 32000),
                0);
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
