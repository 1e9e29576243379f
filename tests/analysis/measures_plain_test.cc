// Every measure against its definition in a plain loop, from weights and from q and k.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/plain_measures.h"
#include "fovea/attention.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures.h"
#include "fovea/random.h"
#include "fovea/threads.h"

namespace fovea {
namespace {

using testing::plain_measure;
using testing::PlainHead;

struct Case {
  std::string name;
  Index n, m;
  Mask mask;
  MeasureOptions options;
  std::vector<bool> special = {}, punctuation = {};
  std::vector<Index> block = {};
  Index period = 0, repeats_from = 0, repeats_until = 0;
};

std::vector<std::string> words(Index count, const char* stem) {
  std::vector<std::string> all;
  for (Index i = 0; i < count; ++i) all.push_back(stem + std::to_string(i));
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"plain", 9, 9, {}, {}});
  all.push_back({"one token", 1, 1, {}, {}});
  all.push_back({"causal", 20, 20, Mask::causal(), {}});
  all.push_back({"cache", 5, 12, Mask::causal(), {}});
  all.push_back({"cross", 7, 4, {}, {}});
  Flags flags = Flags::filled({8, 8}, 1);
  for (Index j = 0; j < 8; ++j) flags(2, j) = flags(7, j) = 0;
  flags(3, 0) = flags(4, 3) = flags(5, 5) = 0;
  all.push_back({"hidden rows", 8, 8, Mask::dense(flags), {}});
  all.push_back({"padding", 8, 8, Mask::lengths({5}), {}});

  Case sentences{"sentences", 8, 8, {}, {}};
  sentences.options.tokens = {"[CLS]", "a", ".", "a", "[SEP]", "b", "\u3002", "[SEP]"};
  sentences.special = {true, false, false, false, true, false, false, true};
  sentences.punctuation = {false, false, true, false, false, false, true, false};
  sentences.block = {0, 0, 0, 0, 0, 1, 1, 1};
  all.push_back(sentences);
  sentences.name = "causal sentences";
  sentences.mask = Mask::causal();
  all.push_back(sentences);

  Case repeated{"repeated", 10, 10, Mask::causal(), {}};
  repeated.options.tokens = {"<s>", "x", "y", "z", "x", "y", "z", "x", "y", "</s>"};
  repeated.special = {true, false, false, false, false, false, false, false, false, true};
  repeated.punctuation.assign(10, false);
  repeated.period = 3, repeated.repeats_from = 1, repeated.repeats_until = 9;
  all.push_back(repeated);

  Case given{"given period and segments", 12, 12, {}, {}};
  given.options.period = 4;
  given.period = 4, given.repeats_until = 12;
  given.options.segments = given.block = {3, 3, 3, 1, 1, 1, 1, 3, 3, 2, 2, 2};
  all.push_back(given);

  Case blocks{"blocks of three, cache", 4, 10, Mask::causal(), {}};
  blocks.options.block_size = 3;
  blocks.block = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3};
  blocks.options.key_tokens = words(10, "w");
  blocks.options.key_tokens[2] = "w8";
  blocks.options.tokens = {"w6", "w7", "w8", "w9"};
  blocks.special.assign(10, false);
  blocks.punctuation.assign(10, false);
  all.push_back(blocks);
  return all;
}

// Head h of batch entry b of explicit weights [B, H, N, M].
PlainHead plain_head(const Case& c, const Tensor& weights, Index b, Index h) {
  PlainHead head;
  const Flags flags = c.mask.is_none() ? Flags::filled({c.n, c.m}, 1) : c.mask.to_bool(c.n, c.m);
  for (Index i = 0; i < c.n; ++i) {
    head.w.emplace_back();
    head.visible.emplace_back();
    for (Index j = 0; j < c.m; ++j) {
      head.w.back().push_back(static_cast<double>(weights(b, h, i, j)));
      const auto last = static_cast<std::size_t>(i * c.m + j);
      const bool per_row = flags.values().size() == static_cast<std::size_t>(c.n * c.m);
      head.visible.back().push_back(flags.values()[per_row ? last : static_cast<std::size_t>(j)] != 0);
    }
  }
  head.tokens = c.options.tokens;
  head.keys = c.options.key_tokens.empty() && c.n == c.m ? c.options.tokens : c.options.key_tokens;
  head.special = c.special;
  head.punctuation = c.punctuation;
  head.block = c.block;
  head.period = c.period;
  head.repeats_from = c.repeats_from;
  head.repeats_until = c.repeats_until;
  return head;
}

PlainHead mean_of(const std::vector<PlainHead>& heads) {
  PlainHead mean = heads.front();
  for (std::size_t i = 0; i < mean.w.size(); ++i) {
    for (std::size_t j = 0; j < mean.w[i].size(); ++j) {
      mean.w[i][j] = 0;
      for (const PlainHead& head : heads) mean.w[i][j] += head.w[i][j] / static_cast<double>(heads.size());
    }
  }
  return mean;
}

void expect_equal(const HeadMeasures& got, const PlainHead& head, double tolerance,
                  const std::string& where) {
  for (const Measure measure : all_measures()) {
    const double expected = plain_measure(head, measure), value = got[measure];
    const std::string name = where + ": " + measure_definition(measure).name;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << name << " is " << value;
    } else {
      EXPECT_NEAR(value, expected, tolerance * std::max(1.0, std::abs(expected))) << name;
    }
  }
}

constexpr Index kBatch = 2, kHeads = 3;

// Scores from sharp to flat, so that keys_90 and confidence vary.
struct Drawn {
  Tensor q, k, weights;
};
Drawn draw(const Case& c, std::uint64_t seed) {
  Random random(seed);
  Drawn drawn{random.normal({kBatch, kHeads, c.n, 8}), random.normal({kBatch, kHeads, c.m, 8}), {}};
  for (Index h = 0; h < kHeads; ++h) {
    for (Index b = 0; b < kBatch; ++b) {
      for (Index at = 0; at < c.n * 8; ++at)
        drawn.q.data()[(b * kHeads + h) * c.n * 8 + at] *= static_cast<float>(1 + 2 * h);
    }
  }
  drawn.weights = attention(drawn.q, drawn.k, drawn.k, {.mask = c.mask, .weights = true}).weights;
  return drawn;
}

void expect_measures(const Case& c, const Tensor& weights, const AttentionMeasures& got, double tolerance) {
  for (Index b = 0; b < kBatch; ++b) {
    std::vector<PlainHead> heads;
    for (Index h = 0; h < kHeads; ++h) {
      heads.push_back(plain_head(c, weights, b, h));
      expect_equal(got.heads[static_cast<std::size_t>(b)][static_cast<std::size_t>(h)], heads.back(),
                   tolerance, c.name + ", head " + std::to_string(h));
    }
    expect_equal(got.head_mean[static_cast<std::size_t>(b)], mean_of(heads), tolerance, c.name + ", mean");
  }
}

TEST(MeasuresPlain, weights) {
  for (const Case& c : cases()) {
    const Drawn drawn = draw(c, 1);
    expect_measures(c, drawn.weights, measure_attention(drawn.weights, c.mask, c.options), 1e-12);
  }
}

TEST(MeasuresPlain, queries_and_keys) {
  for (const Case& c : cases()) {
    const Drawn drawn = draw(c, 2);
    expect_measures(c, drawn.weights, measure_attention(drawn.q, drawn.k, {.mask = c.mask}, c.options),
                    4e-6);
  }
}

TEST(MeasuresPlain, rows_and_columns_agree_between_weights_and_queries) {
  for (const Case& c : cases()) {
    const Drawn drawn = draw(c, 3);
    const AttentionMeasures a = measure_attention(drawn.weights, c.mask, c.options);
    const AttentionMeasures b = measure_attention(drawn.q, drawn.k, {.mask = c.mask}, c.options);
    EXPECT_EQ(a.shape, b.shape);
    for (std::size_t h = 0; h < 3; ++h) {
      const HeadMeasures &x = a.heads[1][h], &y = b.heads[1][h];
      EXPECT_EQ(x.rows_seeing, y.rows_seeing) << c.name;
      for (std::size_t j = 0; j < x.received.size(); ++j)
        EXPECT_NEAR(x.received[j], y.received[j], 1e-5) << c.name;
      for (const Measure measure : all_measures()) {
        ASSERT_EQ(x.rows(measure).size(), y.rows(measure).size()) << measure_definition(measure).name;
        for (std::size_t i = 0; i < x.rows(measure).size(); ++i) {
          const double expected = x.rows(measure)[i];
          EXPECT_NEAR(y.rows(measure)[i], expected, 1e-5 * std::max(1.0, expected))
              << c.name << ", " << measure_definition(measure).name << ", row " << i;
        }
      }
    }
  }
}

// 300 rows come in two bands.
TEST(MeasuresPlain, several_bands) {
  Random random(9);
  const Tensor q = random.normal({1, 2, 300, 8}), k = random.normal({1, 2, 310, 8});
  MeasureOptions options;
  options.block_size = 7;
  const AttentionMeasures streamed = measure_attention(q, k, {.mask = Mask::causal()}, options);
  const AttentionMeasures direct = measure_attention(
      attention(q, k, k, {.mask = Mask::causal(), .weights = true}).weights, Mask::causal(), options);
  for (const Measure measure : all_measures()) {
    const HeadMeasures &a = direct.head_mean[0], &b = streamed.head_mean[0];
    ASSERT_EQ(a.rows(measure).size(), b.rows(measure).size());
    for (std::size_t i = 0; i < a.rows(measure).size(); ++i) {
      const double tolerance = measure == Measure::keys_90 ? 1.0 : 2e-5 * std::max(1.0, a.rows(measure)[i]);
      EXPECT_NEAR(a.rows(measure)[i], b.rows(measure)[i], tolerance) << measure_definition(measure).name;
    }
  }
}

// Grouped keys, bias, cap and scale reach every measure.
TEST(MeasuresPlain, options_of_attention) {
  Random random(5);
  const Tensor q = random.normal({1, 4, 30, 8}), k = random.normal({1, 2, 30, 8}),
               v = random.normal({1, 2, 30, 1});
  AttentionOptions options{
      .mask = Mask::causal(), .bias = Bias::alibi(alibi_slopes(4)), .scale = 0.9f, .softcap = 3};
  const AttentionMeasures streamed = measure_attention(q, k, options);
  options.weights = true;
  const AttentionMeasures direct = measure_attention(attention(q, k, v, options).weights, options.mask);
  for (std::size_t h = 0; h < 4; ++h) {
    for (const Measure measure : all_measures()) {
      const double expected = direct.heads[0][h][measure];
      if (std::isnan(expected)) continue;
      EXPECT_NEAR(streamed.heads[0][h][measure], expected, 1e-5 * std::max(1.0, expected))
          << measure_definition(measure).name;
    }
  }
}

// What was asked for is the same, whatever else was asked for; the rest is not there.
TEST(MeasuresPlain, measures_asked_for_alone) {
  for (const Case& c : cases()) {
    if (c.name != "causal sentences" && c.name != "repeated") continue;
    const Drawn drawn = draw(c, 4);
    const AttentionMeasures all = measure_attention(drawn.q, drawn.k, {.mask = c.mask}, c.options);
    for (const Measure measure : all_measures()) {
      MeasureOptions options = c.options;
      options.measures = {measure};
      options.head_mean = options.rows = false;
      const AttentionMeasures one = measure_attention(drawn.q, drawn.k, {.mask = c.mask}, options);
      EXPECT_TRUE(one.head_mean.empty());
      EXPECT_TRUE(one.heads[0][1].rows(measure).empty());
      for (const Measure other : all_measures()) {
        const double value = one.heads[0][1][other], expected = all.heads[0][1][other];
        if (other != measure || std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(value)) << measure_definition(other).name;
        } else {
          EXPECT_EQ(value, expected) << measure_definition(other).name;
        }
      }
    }
  }
}

TEST(MeasuresPlain, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  Random random(6);
  const Tensor q = random.normal({2, 3, 70, 8}), k = random.normal({2, 3, 90, 8});
  const Tensor weights = attention(q, k, k, {.weights = true}).weights;
  set_thread_count(1);
  const AttentionMeasures streamed = measure_attention(q, k), direct = measure_attention(weights);
  for (const int threads : {2, 5}) {
    set_thread_count(threads);
    const AttentionMeasures streamed_again = measure_attention(q, k),
                            direct_again = measure_attention(weights);
    for (const Measure measure :
         {Measure::entropy, Measure::keys_90, Measure::first_token, Measure::received}) {
      EXPECT_EQ(streamed.table(measure), streamed_again.table(measure));
      EXPECT_EQ(direct.table(measure), direct_again.table(measure));
    }
    EXPECT_EQ(direct.head_mean[1].received, direct_again.head_mean[1].received);
    EXPECT_EQ(streamed.head_mean[1].received, streamed_again.head_mean[1].received);
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace fovea
