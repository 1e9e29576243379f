// Hidden rows, NaN, ties, threads, errors.
#include <gtest/gtest.h>

#include <cstring>

#include "fovea/attention_statistics.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/expect_statistics.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::expect_statistics;
using testing::message_of;
using testing::on_every_instruction_set;
using testing::WorstError;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(AttentionStatisticsEdges, a_row_that_sees_nothing) {
  on_every_instruction_set([] {
    const Tensor q = Random(1).normal({3, 4}), k = Random(2).normal({5, 4});
    Flags visible = Flags::filled({3, 5}, 1);
    for (Index j = 0; j < 5; ++j) visible(1, j) = 0;
    const AttentionStatistics s =
        attention_statistics(q, k, {.mask = Mask::dense(visible)}, {.thumbnail = 3, .top_k = 2});
    EXPECT_EQ(s.entropy(1), 0.0f);
    EXPECT_EQ(s.maximum(1), 0.0f);
    EXPECT_EQ(s.position(1), -1);
    EXPECT_EQ(s.diagonal(1), 0.0f);
    EXPECT_EQ(s.distance(1), 0.0f);
    EXPECT_EQ(s.visible(1), 0);
    EXPECT_EQ(s.logsumexp(1), -kInfinity);
    EXPECT_EQ(s.top_keys(1, 0), -1);
    EXPECT_EQ(s.top_weights(1, 0), 0.0f);
    for (Index c = 0; c < 3; ++c) EXPECT_EQ(s.thumbnail(1, c), 0.0f);
    EXPECT_EQ(s.means.rows_seeing(0), 2);
    EXPECT_FLOAT_EQ(s.means.maximum(0), (s.maximum(0) + s.maximum(2)) / 2);
    float sum = 0;
    for (Index j = 0; j < 5; ++j) sum += s.received(j);
    EXPECT_NEAR(sum, 2.0f, 1e-6);
  });
}

TEST(AttentionStatisticsEdges, no_keys_no_queries_no_heads) {
  on_every_instruction_set([] {
    const AttentionStatistics no_keys = attention_statistics(Tensor({2, 3, 4}), Tensor({2, 0, 4}));
    EXPECT_EQ(no_keys.received.shape(), (Shape{2, 0}));
    EXPECT_EQ(no_keys.thumbnail.shape(), (Shape{2, 3, 0}));
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(no_keys.position.data()[i], -1);
    const AttentionStatistics no_queries = attention_statistics(Tensor({0, 4}), Tensor({3, 4}));
    EXPECT_EQ(no_queries.received.shape(), (Shape{3}));
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(no_queries.received(j), 0.0f);
    EXPECT_EQ(no_queries.means.entropy(0), 0.0f);
    EXPECT_EQ(attention_statistics(Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4})).entropy.shape(),
              (Shape{0, 2, 3}));
    EXPECT_EQ(attention_transposed_product(Tensor({0, 4}), Tensor({3, 4}), Tensor({0, 2}))(2, 1), 0.0f);
    EXPECT_EQ(attention_crop(Tensor({2, 4}), Tensor({3, 4}), {}, {1, 1, 0, 3}).shape(), (Shape{0, 3}));
    // Width 0: every score is 0, weights are uniform.
    const AttentionStatistics flat = attention_statistics(Tensor({2, 0}), Tensor({4, 0}));
    EXPECT_NEAR(flat.entropy(1), std::log(4.0f), 1e-6);
    EXPECT_EQ(flat.position(1), 0);
  });
}

TEST(AttentionStatisticsEdges, exact_cases) {
  on_every_instruction_set([] {
    // One key far above all: entropy 0 without a trace of cancellation, whatever the size of the scores.
    Tensor q = Tensor::filled({30, 1}, 30.0f), k({200, 1});
    k(77, 0) = 100;
    const AttentionStatistics sharp = attention_statistics(q, k, {}, {.top_k = 2});
    for (Index i = 0; i < 30; ++i) {
      EXPECT_EQ(sharp.entropy(i), 0.0f);
      EXPECT_EQ(sharp.maximum(i), 1.0f);
      EXPECT_EQ(sharp.position(i), 77);
      EXPECT_EQ(sharp.distance(i), std::abs(77.0f - static_cast<float>(i + 170)));
      EXPECT_EQ(sharp.top_keys(i, 0), 77);
      EXPECT_EQ(sharp.top_keys(i, 1), 0);
    }
    EXPECT_EQ(sharp.received(77), 30.0f);
    // Ties: the first of equals that is visible, in any block.
    const Tensor flat_k = Tensor::filled({300, 1}, 0.5f);
    for (const Index first : {0, 5, 130}) {
      const Mask mask = Mask::predicate([=](Index, Index, Index, Index j) { return j >= first; });
      const AttentionStatistics tied = attention_statistics(q, flat_k, {.mask = mask}, {.top_k = 3});
      for (Index i = 0; i < 30; ++i) {
        EXPECT_EQ(tied.position(i), first);
        for (Index t = 0; t < 3; ++t) EXPECT_EQ(tied.top_keys(i, t), first + t);
      }
    }
  });
}

TEST(AttentionStatisticsEdges, nan_and_infinity_follow_the_formula) {
  on_every_instruction_set([] {
    Random random(5);
    for (const float poison : {kNaN, kInfinity, -kInfinity}) {
      for (const Index at : {3, 130}) {
        const Tensor q = random.normal({140, 8}), k = random.normal({140, 8});
        Tensor bad_q = q, bad_k = k;
        bad_q(at, 2) = poison;
        bad_k(at, 7) = poison;
        for (const Mask& mask : {Mask(), Mask::causal(), Mask::sliding_window(5, 5)}) {
          SCOPED_TRACE("poison " + std::to_string(poison) + " at " + std::to_string(at));
          expect_statistics(bad_q, k, {.mask = mask});
          expect_statistics(q, bad_k, {.mask = mask});
        }
      }
    }
  });
}

TEST(AttentionStatisticsEdges, nan_in_hidden_keys_has_no_effect) {
  on_every_instruction_set([] {
    Random random(4);
    const Tensor q = random.normal({60, 8}), k = random.normal({200, 8});
    Tensor bad_k = k;
    for (Index j = 150; j < 200; ++j) {
      for (Index c = 0; c < 8; ++c) bad_k(j, c) = kNaN;
    }
    const AttentionStatistics s = attention_statistics(q, bad_k, {.mask = Mask::lengths({150})});
    for (Index i = 0; i < 60; ++i) EXPECT_TRUE(std::isfinite(s.entropy(i)) && std::isfinite(s.distance(i)));
    for (Index j = 0; j < 200; ++j) EXPECT_TRUE(std::isfinite(s.received(j)));
    for (Index i = 0; i < s.thumbnail.shape().elements(); ++i) {
      EXPECT_TRUE(std::isfinite(s.thumbnail.data()[i]) && std::isfinite(s.thumbnail_max.data()[i]));
    }
    // A row of u meets the visible pairs alone.
    Tensor u = Tensor::filled({60, 3}, 1.0f);
    u(10, 1) = kNaN;  // stands at position 150: under causal it sees keys 0 .. 150
    const Tensor product = attention_transposed_product(q, k, u, {.mask = Mask::causal()});
    for (Index j = 0; j < 200; ++j) {
      EXPECT_EQ(std::isnan(product(j, 1)), j <= 150) << j;
      EXPECT_FALSE(std::isnan(product(j, 0)));
    }
  });
}

TEST(AttentionStatisticsEdges, crops_are_parts_of_the_weights) {
  on_every_instruction_set([] {
    Random random(8);
    const Tensor q = random.normal({2, 2, 100, 16}), k = random.normal({2, 1, 300, 16});
    for (const AttentionOptions& base :
         {AttentionOptions{}, AttentionOptions{.mask = Mask::causal() & Mask::sparse(30)},
          AttentionOptions{.bias = Bias::alibi({0.1f, 0.2f}), .softcap = 3}}) {
      AttentionOptions options = base;
      options.weights = true;
      const Tensor weights = attention(q, k, k, options).weights;
      for (const Crop& crop : {Crop{0, 100, 0, 300}, Crop{99, 100, 299, 300}, Crop{17, 60, 120, 140},
                               Crop{40, 41, 0, 300}, Crop{0, 100, 256, 257}}) {
        const Tensor part = attention_crop(q, k, base, crop);
        const Index rows = crop.row_end - crop.row_begin, keys = crop.key_end - crop.key_begin;
        ASSERT_EQ(part.shape(), (Shape{2, 2, rows, keys}));
        for (Index i = 0; i < part.shape().elements(); ++i) {
          const Index j = i % keys, r = i / keys % rows, h = i / keys / rows;
          const float want = weights(h / 2, h % 2, crop.row_begin + r, crop.key_begin + j);
          // Two roundings of scores as large as ln w, in two orders of adding.
          const float error = want > 0 ? 4e-6f - 3e-7f * std::log(want) : 0;
          EXPECT_NEAR(part.data()[i], want, error * want + 1e-37f);
        }
      }
    }
  });
}

// Σ over explicit weights of w · u, both ways, for columns around one, two and three vectors.
TEST(AttentionStatisticsEdges, products_are_those_of_the_explicit_weights) {
  on_every_instruction_set([] {
    Random random(9);
    for (const Index columns : {1, 8, 17, 33}) {
      const Index n = 70, m = 150;
      const Tensor q = random.normal({2, 4, n, 8}), k = random.normal({2, 2, m, 8});
      for (const Mask& mask : {Mask(), Mask::causal(), Mask::lengths({40, 149}), Mask::sparse(10)}) {
        const AttentionOptions options{.mask = mask, .dropout = 0.5f};
        const reference::AttentionStatistics want = reference::attention_statistics(q, k, options, 1);
        const Tensor u = random.normal({2, 4, m, columns}), t = random.normal({2, 4, n, columns});
        const Tensor product = attention_product(q, k, u, options);
        const Tensor transposed = attention_transposed_product(q, k, t, options);
        ASSERT_EQ(product.shape(), (Shape{2, 4, n, columns}));
        ASSERT_EQ(transposed.shape(), (Shape{2, 4, m, columns}));
        reference::DoubleArray pu(product.shape()), ptu(transposed.shape());
        std::vector<double> size(ptu.values.size(), 0.0);
        for (Index h = 0; h < 8; ++h) {
          for (Index i = 0; i < n * m; ++i) {
            const double w = want.weights.values[static_cast<std::size_t>(h * n * m + i)];
            for (Index c = 0; c < columns; ++c) {
              pu.row(h * n + i / m)[c] += w * static_cast<double>(u.data()[(h * m + i % m) * columns + c]);
              const double part = w * static_cast<double>(t.data()[(h * n + i / m) * columns + c]);
              ptu.row(h * m + i % m)[c] += part;
              size[static_cast<std::size_t>((h * m + i % m) * columns + c)] += std::abs(part);
            }
          }
        }
        WorstError worst;
        for (Index i = 0; i < product.shape().elements(); ++i) {
          worst.compare("P·u", i, static_cast<double>(product.data()[i]),
                        pu.values[static_cast<std::size_t>(i)], 4e-6);
        }
        for (Index i = 0; i < transposed.shape().elements(); ++i) {
          const auto at = static_cast<std::size_t>(i);
          worst.compare("Pᵀ·u", i, static_cast<double>(transposed.data()[i]), ptu.values[at],
                        4e-6 * size[at] + 1e-36);
        }
        worst.expect_none();
      }
    }
    // Heads of u as those of the keys, ranks 2 and 3, strided u.
    const Tensor q = random.normal({2, 4, 9, 8}), k = random.normal({2, 2, 7, 8}),
                 u = random.normal({2, 2, 7, 3});
    EXPECT_EQ(attention_product(q, k, u).shape(), (Shape{2, 4, 9, 3}));
    const Tensor q2 = random.normal({9, 4}), k2 = random.normal({7, 4}), memory = random.normal({6, 9});
    const ConstView strided = memory.view().transpose(0, 1).slice(1, 0, 6, 2);
    const Tensor direct = attention_transposed_product(q2, k2, strided),
                 copied = attention_transposed_product(q2, k2, Tensor::copy_of(strided));
    EXPECT_EQ(direct.shape(), (Shape{7, 3}));
    EXPECT_EQ(std::memcmp(direct.data(), copied.data(), sizeof(float) * 21), 0);
  });
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.shape().elements())) ==
             0;
}

TEST(AttentionStatisticsEdges, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  on_every_instruction_set([] {
    Random random(6);
    const Tensor q = random.normal({1, 2, 500, 8}), k = random.normal({1, 1, 600, 8}),
                 u = random.normal({1, 2, 500, 5});
    const AttentionOptions options{.mask = Mask::causal() | Mask::sparse(7),
                                   .bias = Bias::alibi(alibi_slopes(2))};
    const StatisticsOptions wanted{.thumbnail = 33, .top_k = 4};
    set_thread_count(1);
    const AttentionStatistics one = attention_statistics(q, k, options, wanted);
    const Tensor product = attention_transposed_product(q, k, u, options);
    for (const int threads : {2, 3, 8}) {
      set_thread_count(threads);
      const AttentionStatistics many = attention_statistics(q, k, options, wanted);
      for (const auto member :
           {&AttentionStatistics::entropy, &AttentionStatistics::maximum, &AttentionStatistics::diagonal,
            &AttentionStatistics::distance, &AttentionStatistics::logsumexp, &AttentionStatistics::received,
            &AttentionStatistics::thumbnail, &AttentionStatistics::thumbnail_max,
            &AttentionStatistics::top_weights}) {
        EXPECT_TRUE(same_bits(one.*member, many.*member)) << threads << " threads";
      }
      EXPECT_EQ(one.position, many.position);
      EXPECT_EQ(one.top_keys, many.top_keys);
      EXPECT_TRUE(same_bits(product, attention_transposed_product(q, k, u, options)));
    }
  });
  set_thread_count(before);
}

// What is not asked for is empty, and what is asked for has the same bits alone.
TEST(AttentionStatisticsEdges, only_what_was_asked_for) {
  const Tensor q = Random(1).normal({30, 8}), k = Random(2).normal({40, 8});
  const AttentionStatistics all = attention_statistics(q, k);
  EXPECT_EQ(all.thumbnail.shape(), (Shape{30, 40}));
  EXPECT_TRUE(all.top_weights.empty());
  const AttentionStatistics rows = attention_statistics(q, k, {}, {.received = false, .thumbnail = 0});
  EXPECT_TRUE(rows.received.empty() && rows.thumbnail.empty() && rows.thumbnail_max.empty());
  EXPECT_TRUE(same_bits(rows.entropy, all.entropy) && same_bits(rows.distance, all.distance));
  const AttentionStatistics keys = attention_statistics(q, k, {}, {.rows = false, .thumbnail = 0});
  EXPECT_TRUE(keys.entropy.empty() && keys.means.entropy.empty() && keys.position.empty());
  EXPECT_TRUE(same_bits(keys.received, all.received));
  EXPECT_TRUE(same_bits(attention_logsumexp(q, k), all.logsumexp));
  EXPECT_TRUE(
      attention_statistics(q, k, {}, {.rows = false, .received = false, .thumbnail = 0}).received.empty());
}

TEST(AttentionStatisticsEdges, errors_say_what_was_expected) {
  const Tensor q({5, 4}), k({6, 4});
  const auto contains = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(message_of([&] {
             attention_statistics(q, Tensor({6, 3}));
           }),
           "[attention_statistics] keys have width 3, queries 4");
  contains(message_of([&] { attention_statistics(q, k, {}, {.top_k = -1}); }), "top_k is -1");
  contains(message_of([&] { attention_statistics(q, k, {}, {.thumbnail = -2}); }), "thumbnail -2");
  contains(message_of([&] { attention_statistics(q, k, {.softcap = -1}); }), "softcap is -1");
  contains(message_of([&] { attention_logsumexp(q, k, {.scale = kNaN}); }),
           "[attention_logsumexp] scale is nan");
  contains(message_of([&] { attention_crop(q, k, {}, {0, 6, 0, 6}); }), "rows 0 .. 6");
  contains(message_of([&] { attention_crop(q, k, {}, {0, 5, 3, 2}); }), "keys 3 .. 2");
  contains(message_of([&] { attention_crop(q, k, {}, {-1, 5, 0, 2}); }), "rows -1 .. 5");
  contains(message_of([&] { attention_transposed_product(q, k, Tensor({6, 2})); }), "u is [6, 2]");
  contains(message_of([&] { attention_transposed_product(q, k, Tensor({1, 5, 2})); }), "u is [1, 5, 2]");
  contains(message_of([&] { attention_product(q, k, Tensor({5, 2})); }), "there are 6 keys, but 5 values");
  contains(message_of([&] {
             attention_statistics(Tensor({2, 5, 4}), Tensor({2, 6, 4}), {.mask = Mask::lengths({1, 2, 3})});
           }),
           "3");
}

}  // namespace
}  // namespace fovea
