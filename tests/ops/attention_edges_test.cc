// Hidden rows, NaN, infinities, threads, dropout and errors of attention.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::expect_attention;
using testing::on_every_instruction_set;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(AttentionEdges, fully_masked_row_is_zero) {
  on_every_instruction_set([] {
    const Tensor q = Random(1).normal({3, 4}), k = Random(2).normal({5, 4}), v = Random(3).normal({5, 2});
    Flags visible = Flags::filled({3, 5}, 1);
    for (Index j = 0; j < 5; ++j) visible(1, j) = 0;
    const AttentionResult r =
        attention(q, k, v, {.mask = Mask::dense(visible), .weights = true, .logsumexp = true});
    for (Index c = 0; c < 2; ++c) EXPECT_EQ(r.output(1, c), 0.0f);
    for (Index j = 0; j < 5; ++j) EXPECT_EQ(r.weights(1, j), 0.0f);
    EXPECT_EQ(r.logsumexp(1), -kInfinity);
    EXPECT_NE(r.output(0, 0), 0.0f);
  });
}

TEST(AttentionEdges, no_keys_no_queries_one_of_each) {
  on_every_instruction_set([] {
    const AttentionResult r =
        attention(Tensor({2, 3, 4}), Tensor({2, 0, 4}), Tensor({2, 0, 5}), {.weights = true});
    EXPECT_EQ(r.output.shape(), (Shape{2, 3, 5}));
    EXPECT_EQ(r.weights.shape(), (Shape{2, 3, 0}));
    for (Index i = 0; i < 30; ++i) EXPECT_EQ(r.output.data()[i], 0.0f);
    EXPECT_EQ(attention(Tensor({0, 4}), Tensor({3, 4}), Tensor({3, 5})).output.shape(), (Shape{0, 5}));
    EXPECT_EQ(attention(Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4})).output.shape(),
              (Shape{0, 2, 3, 4}));
    EXPECT_EQ(attention(Tensor({2, 4}), Tensor({3, 4}), Tensor({3, 0})).output.shape(), (Shape{2, 0}));
    // Width 0: every score is 0, weights are uniform.
    EXPECT_NEAR(attention(Tensor({1, 0}), Tensor({4, 0}), Tensor::from({{1}, {2}, {3}, {6}})).output(0, 0),
                3.0f, 1e-6);
    const AttentionResult one =
        attention(Tensor::from({{3}}), Tensor::from({{-2}}), Tensor::from({{7, 8}}), {.weights = true});
    EXPECT_EQ(one.output(0, 1), 8.0f);
    EXPECT_EQ(one.weights(0, 0), 1.0f);
  });
}

TEST(AttentionEdges, nan_in_hidden_keys_has_no_effect) {
  on_every_instruction_set([] {
    Random random(4);
    for (const float poison : {kNaN, kInfinity, -kInfinity}) {
      const Tensor q = random.normal({60, 8});
      Tensor k = random.normal({200, 8}), v = random.normal({200, 6});
      Tensor bad_k = k, bad_v = v;
      // Query 10 stands at position 150: with causal, keys from 151 on are hidden from it. Poison keys 151
      // .. 199.
      for (Index j = 151; j < 200; ++j) {
        for (Index c = 0; c < 8; ++c) bad_k(j, c) = poison;
        for (Index c = 0; c < 6; ++c) bad_v(j, c) = poison;
      }
      const AttentionOptions options{.mask = Mask::causal(), .weights = true, .logsumexp = true};
      const AttentionResult good = attention(q, k, v, options), bad = attention(q, bad_k, bad_v, options);
      for (Index i = 0; i <= 10; ++i) {
        for (Index c = 0; c < 6; ++c) EXPECT_NEAR(good.output(i, c), bad.output(i, c), 1e-6) << i;
        for (Index j = 0; j < 200; ++j) EXPECT_EQ(good.weights(i, j), bad.weights(i, j));
        EXPECT_EQ(good.logsumexp(i), bad.logsumexp(i));
      }
      EXPECT_TRUE(std::isnan(bad.output(11, 0)));
      for (Index j = 160; j < 200; ++j) EXPECT_EQ(bad.weights(11, j), 0.0f);
      // A key hidden from everybody, by padding and by −inf.
      Tensor additive({200});
      for (Index j = 151; j < 200; ++j) additive(j) = -kInfinity;
      const AttentionResult padded =
          attention(q, bad_k, bad_v, {.mask = Mask::additive(additive.view().insert_axis(0))});
      for (Index i = 0; i < 60 * 6; ++i) EXPECT_TRUE(std::isfinite(padded.output.data()[i]));
    }
  });
}

TEST(AttentionEdges, nan_input_stays_nan) {
  on_every_instruction_set([] {
    Random random(5);
    for (const Index poisoned : {0, 3, 17, 130}) {
      Tensor q = random.normal({140, 8}), k = random.normal({140, 8}), v = random.normal({140, 5});
      Tensor bad_q = q, bad_k = k, bad_v = v;
      bad_q(poisoned, 2) = kNaN;
      bad_k(poisoned, 7) = kNaN;
      bad_v(poisoned, 1) = kNaN;
      expect_attention(bad_q, k, v);
      expect_attention(q, bad_k, v);
      expect_attention(q, k, bad_v);
      expect_attention(q, bad_k, v, {.mask = Mask::causal()});
      expect_attention(q, k, bad_v, {.mask = Mask::causal()});
      expect_attention(bad_q, k, v, {.mask = Mask::sliding_window(5, 5), .softcap = 2});
      const AttentionResult r = attention(bad_q, k, v);
      EXPECT_TRUE(std::isnan(r.output(poisoned, 0)));
      EXPECT_FALSE(std::isnan(r.output(poisoned == 0 ? 1 : 0, 0)));
      EXPECT_TRUE(std::isnan(attention(q, k, bad_v).output(5, 1)));
      EXPECT_FALSE(std::isnan(attention(q, k, bad_v).output(5, 0)));
    }
  });
}

TEST(AttentionEdges, infinite_values_follow_the_formula) {
  on_every_instruction_set([] {
    Tensor v = Tensor::from({{1, 2}, {kInfinity, 3}});
    const AttentionResult r = attention(Tensor::from({{1}}), Tensor::from({{1}, {2}}), v);
    EXPECT_EQ(r.output(0, 0), kInfinity);
    EXPECT_TRUE(std::isfinite(r.output(0, 1)));
    // A key with score −inf gets no weight; one with +inf makes the row undefined, as in the formula.
    const AttentionResult low = attention(Tensor::from({{1}}), Tensor::from({{1}, {-kInfinity}}),
                                          Tensor::from({{5}, {9}}), {.weights = true});
    EXPECT_EQ(low.output(0, 0), 5.0f);
    EXPECT_EQ(low.weights(0, 1), 0.0f);
    EXPECT_TRUE(std::isnan(
        attention(Tensor::from({{1}}), Tensor::from({{1}, {kInfinity}}), Tensor::from({{5}, {9}}))
            .output(0, 0)));
  });
}

// −1e9 hides nothing by itself: it is a number like others.
TEST(AttentionEdges, finite_additive_values_are_only_added) {
  on_every_instruction_set([] {
    const Tensor q = Tensor::from({{1}, {1}}), k = Tensor::from({{1}, {1}, {1}}),
                 v = Tensor::from({{1}, {2}, {6}});
    const Mask mask = Mask::additive(Tensor::from({{0, -1e9, -1e9}, {-1e9, -1e9, -1e9}}));
    const AttentionResult r = attention(q, k, v, {.mask = mask, .weights = true});
    EXPECT_EQ(r.weights(0, 0), 1.0f);
    EXPECT_EQ(r.weights(0, 1), 0.0f);
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(r.weights(1, j), 1.0f / 3, 1e-6);
    EXPECT_NEAR(r.output(1, 0), 3.0f, 1e-5);
  });
}

// −FLT_MAX is what many models use for "hidden"; times log2(e) it would overflow to −inf.
TEST(AttentionEdges, the_lowest_float_is_a_number_like_others) {
  on_every_instruction_set([] {
    constexpr float kLowest = std::numeric_limits<float>::lowest();
    const Tensor q = Tensor::from({{1}, {1}}), k = Tensor::from({{1}, {2}, {3}}),
                 v = Tensor::from({{1}, {2}, {6}});
    const Tensor values = Tensor::from({{0, kLowest, kLowest}, {kLowest, kLowest, kLowest}});
    for (const AttentionOptions& base : {AttentionOptions{.mask = Mask::additive(values)},
                                         AttentionOptions{.bias = Bias::dense(values)}}) {
      // Not the log-sum-exp: in units of log2 it cannot go below −2.36e38.
      AttentionOptions options = base;
      options.weights = true;
      const AttentionResult r = attention(q, k, v, options);
      EXPECT_EQ(r.weights(0, 0), 1.0f);
      for (Index j = 0; j < 3; ++j) EXPECT_NEAR(r.weights(1, j), 1.0f / 3, 1e-6);
      EXPECT_EQ(r.output(0, 0), 1.0f);
      EXPECT_NEAR(r.output(1, 0), 3.0f, 1e-5);
    }
  });
}

// A bias of −inf weighs nothing, but only a mask hides: the value is still read.
TEST(AttentionEdges, minus_infinity_by_bias_does_not_hide_nan) {
  on_every_instruction_set([] {
    const Tensor q = Tensor::from({{1}}), k = Tensor::from({{1}, {2}}), v = Tensor::from({{1}, {kNaN}});
    const Tensor values = Tensor::from({{0, -kInfinity}});
    expect_attention(q, k, v, {.bias = Bias::dense(values)});
    EXPECT_TRUE(std::isnan(attention(q, k, v, {.bias = Bias::dense(values)}).output(0, 0)));
    EXPECT_EQ(attention(q, k, v, {.mask = Mask::additive(values)}).output(0, 0), 1.0f);
  });
}

TEST(AttentionEdges, empty_views_of_no_memory) {
  const ConstView none(nullptr, {0, 4});
  EXPECT_EQ(attention(Tensor({2, 4}), none, none).output(1, 3), 0.0f);
}

TEST(AttentionEdges, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  on_every_instruction_set([] {
    Random random(6);
    const Tensor q = random.normal({2, 4, 150, 24}), k = random.normal({2, 2, 300, 24}),
                 v = random.normal({2, 2, 300, 17});
    const AttentionOptions options{.mask = Mask::causal() | Mask::sparse(7),
                                   .bias = Bias::alibi(alibi_slopes(4)),
                                   .dropout = 0.1f,
                                   .seed = 3,
                                   .weights = true,
                                   .logsumexp = true};
    set_thread_count(1);
    const AttentionResult one = attention(q, k, v, options);
    for (const int threads : {2, 3, 5, 8}) {
      set_thread_count(threads);
      const AttentionResult many = attention(q, k, v, options);
      EXPECT_EQ(std::memcmp(one.output.data(), many.output.data(), sizeof(float) * 2 * 4 * 150 * 17), 0);
      EXPECT_EQ(std::memcmp(one.weights.data(), many.weights.data(), sizeof(float) * 2 * 4 * 150 * 300), 0);
      EXPECT_EQ(std::memcmp(one.logsumexp.data(), many.logsumexp.data(), sizeof(float) * 2 * 4 * 150), 0);
    }
  });
  set_thread_count(before);
}

TEST(AttentionEdges, dropout_drops_its_share_and_keeps_the_mean) {
  on_every_instruction_set([] {
    const Index n = 200, m = 300;
    const Tensor q({n, 4}), k({m, 4}), v = Tensor::filled({m, 1}, 1.0f);
    const AttentionOptions options{.dropout = 0.25f, .seed = 9, .weights = true};
    const AttentionResult r = attention(q, k, v, options);
    Index dropped = 0;
    for (Index i = 0; i < n * m; ++i) {
      const float w = r.weights.data()[i];
      dropped += w == 0;
      if (w != 0) {
        ASSERT_NEAR(w, 1.0f / m / 0.75f, 1e-6);
      }
    }
    // 60,000 draws at 0.25: four standard deviations are 0.0071.
    EXPECT_NEAR(static_cast<double>(dropped) / (n * m), 0.25, 0.0071);
    double mean = 0;
    for (Index i = 0; i < n; ++i) mean += static_cast<double>(r.output(i, 0)) / n;
    EXPECT_NEAR(mean, 1.0, 0.01);
    // Neighbouring rows, and rows far apart, drop independently.
    for (const Index apart : {1, 7, 64}) {
      Index same = 0;
      for (Index i = 0; i + apart < n; ++i) {
        for (Index j = 0; j < m; ++j) same += (r.weights(i, j) == 0) == (r.weights(i + apart, j) == 0);
      }
      EXPECT_NEAR(static_cast<double>(same) / static_cast<double>((n - apart) * m),
                  0.25 * 0.25 + 0.75 * 0.75, 0.012);
    }
    AttentionOptions other = options;
    other.seed = 10;
    EXPECT_NE(
        std::memcmp(attention(q, k, v, other).weights.data(), r.weights.data(), sizeof(float) * n * m), 0);
    EXPECT_EQ(
        std::memcmp(attention(q, k, v, options).weights.data(), r.weights.data(), sizeof(float) * n * m),
        0);
  });
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  EXPECT_NE(testing::message_of(call).find(part), std::string::npos) << testing::message_of(call);
}

TEST(AttentionEdges, errors_say_what_was_got_and_expected) {
  const auto t = [](std::initializer_list<Index> shape) { return Tensor(Shape(shape)); };
  expect_error(
      [&] {
        attention(t({3, 32}), t({5, 64}), t({5, 8}));
      },
      "[attention] keys have width 64, queries 32");
  expect_error([&] { attention(t({3, 4}), t({5, 4}), t({6, 8})); }, "there are 5 keys, but 6 values");
  expect_error([&] { attention(t({3, 4}), t({1, 5, 4}), t({5, 8})); }, "same rank");
  expect_error([&] { attention(t({4}), t({4}), t({4})); }, "same rank, 2 to 5");
  expect_error([&] { attention(t({2, 3, 4}), t({3, 5, 4}), t({3, 5, 8})); }, "axis 0 differs");
  expect_error(
      [&] {
        attention(t({1, 6, 3, 4}), t({1, 4, 5, 4}), t({1, 4, 5, 8}));
      },
      "6 query heads are not a multiple of 4");
  expect_error(
      [&] {
        attention(t({1, 6, 3, 4}), t({1, 0, 5, 4}), t({1, 0, 5, 8}));
      },
      "6 query heads are not a multiple of 0");
  const Tensor x = t({2, 3, 4});
  expect_error([&] { attention(x, x, x, {.dropout = 1.0f}); }, "dropout is 1");
  expect_error([&] { attention(x, x, x, {.dropout = kNaN}); }, "dropout");
  expect_error([&] { attention(x, x, x, {.softcap = -1}); }, "softcap is -1");
  expect_error([&] { attention(x, x, x, {.softcap = 1e-39f}); }, "expected 0 (off) or 1e-30 .. 1e30");
  expect_error([&] { attention(x, x, x, {.scale = kNaN}); }, "scale is nan");
  expect_error([&] { attention(x, x, x, {.mask = Mask::lengths({1, 2, 3})}); }, "[mask]");
  expect_error([&] { attention(x, x, x, {.mask = Mask::dense(Flags{{1, 1}, {1, 1}})}); }, "[mask]");
  expect_error([&] { attention(x, x, x, {.bias = Bias::alibi({1, 2})}); }, "[bias]");
}

TEST(AttentionEdges, exception_of_a_predicate_reaches_the_caller) {
  const Tensor x = Random(1).normal({200, 4});
  const Mask mask = Mask::predicate([](Index, Index, Index i, Index) -> bool {
    if (i == 150) throw Error("from the predicate");
    return true;
  });
  EXPECT_THROW(attention(x, x, x, {.mask = mask}), Error);
}

}  // namespace
}  // namespace fovea
