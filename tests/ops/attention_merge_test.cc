// Attention in ranges of keys, put together, against the double reference of the whole.
#include "fovea/attention_merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/random.h"
#include "support/attention_case.h"
#include "support/expect_backward.h"
#include "support/expect_statistics.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::AttentionCase;
using testing::BiasCells;
using testing::Input;
using testing::message_of;

// Ranges of the keys, with an empty and a very short one among them.
std::vector<std::pair<Index, Index>> ranges(Index m) {
  return {{0, m / 3}, {m / 3, m / 3}, {m / 3, m / 3 + 1}, {m / 3 + 1, m}};
}

// All queries and keys of one range.
ScorePart part_of(Index n, Index m, std::pair<Index, Index> keys) {
  return {0, n, n, keys.first, keys.second, m};
}

AttentionResult in_parts(ConstView q, ConstView k, ConstView v, AttentionOptions options) {
  options.logsumexp = true;
  const Index n = q.shape().back(1), m = k.shape().back(1);
  const int rows = q.shape().rank() - 2;
  std::vector<AttentionResult> parts;
  for (const auto& range : ranges(m)) {
    parts.push_back(attention(q, k.slice(rows, range.first, range.second),
                              v.slice(rows, range.first, range.second),
                              part_options(options, part_of(n, m, range))));
  }
  const AttentionResult all = merge_attention(parts);
  // One after the other: within the same tolerance.
  AttentionResult sum = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) merge_attention_into(sum, parts[i]);
  testing::compare_attention(sum, q, k, v, options);
  return all;
}

struct MergeCase : AttentionCase {
  BiasCells cells;
};

std::vector<testing::Feature<MergeCase>> features() {
  std::vector<testing::Feature<MergeCase>> all = {
      {"plain", [](MergeCase&) {}},
      {"grouped heads", [](MergeCase& c) { c.key_heads = 2; }},
      {"softcap and scale", [](MergeCase& c) { c.options.softcap = 1.5f, c.options.scale = 0.7f; }},
      {"peaked", [](MergeCase& c) { c.magnitude = 8; }},
      {"alibi",
       [](MergeCase& c) {
         c.options.bias = Bias::alibi(alibi_slopes(c.heads));
         c.cells = [from = c.m - c.n](Index, Index h, Index i, Index j) {
           return std::pair(h, -static_cast<double>(std::abs(j - i - from)));
         };
       }},
      {"relative",
       [](MergeCase& c) {
         c.options.bias = Bias::relative(Random(7).normal({9, c.heads}));
         c.cells = [heads = c.heads, from = c.m - c.n](Index, Index h, Index i, Index j) {
           return std::pair((std::clamp<Index>(j - i - from, -4, 4) + 4) * heads + h, 1.0);
         };
       }},
      {"dense bias",
       [](MergeCase& c) {
         c.options.bias = Bias::dense(Random(9).normal({1, c.heads, c.n, c.m}));
         c.cells = [heads = c.heads, n = c.n, m = c.m](Index, Index h, Index i, Index j) {
           return std::pair((h % heads * n + i) * m + j, 1.0);
         };
       }},
  };
  for (const auto& mask : testing::mask_features()) {
    all.push_back({mask.name, [mask](MergeCase& c) { mask.apply(c); }});
  }
  return all;
}

template <typename Run>
void for_each_feature(const Run& run) {
  const testing::OneThread one_thread;
  for (const bool more_queries : {false, true}) {
    for (const auto& feature : features()) {
      SCOPED_TRACE(std::string(feature.name) + (more_queries ? ", more queries than keys" : ""));
      MergeCase c;
      c.n = 29, c.m = 141;
      if (more_queries) std::swap(c.n, c.m);
      feature.apply(c);
      run(c);
    }
  }
}

TEST(MergeAttention, output_and_logsumexp_are_those_of_all_keys) {
  for_each_feature([](const MergeCase& c) {
    const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
    testing::compare_attention(in_parts(q.view, k.view, v.view, c.options), q.view, k.view, v.view,
                               c.options);
  });
}

TEST(MergeAttention, gradients_are_those_of_all_keys) {
  for_each_feature([](const MergeCase& c) {
    if (c.n > c.m) return;
    const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
    const Tensor doutput = Random(4).normal({c.batch, c.heads, c.n, c.dv});
    const auto run = [&](const AttentionOptions& options) {
      const AttentionResult forward = in_parts(q.view, k.view, v.view, options);
      std::vector<AttentionGradients> parts;
      for (const auto& range : ranges(c.m)) {
        const AttentionOptions of_part = part_options(options, part_of(c.n, c.m, range));
        parts.push_back(attention_backward(q.view, k.view.slice(2, range.first, range.second),
                                           v.view.slice(2, range.first, range.second), forward, doutput,
                                           of_part));
      }
      return merge_gradients(parts);
    };
    testing::expect_backward(q.view, k.view, v.view, doutput, c.options, c.cells, run);
  });
}

TEST(MergeAttention, statistics_are_those_of_all_keys) {
  for_each_feature([](const MergeCase& c) {
    const Input q = queries_of(c), k = keys_of(c);
    const StatisticsOptions wanted{.thumbnail = 7, .top_k = 3};
    const testing::StatisticsJudge judge(q.view, k.view, c.options, wanted.thumbnail);
    std::vector<Tensor> sums;
    for (const auto& range : ranges(c.m)) {
      sums.push_back(attention_logsumexp(q.view, k.view.slice(2, range.first, range.second),
                                         part_options(c.options, part_of(c.n, c.m, range))));
    }
    const Tensor logsumexp = merge_logsumexp(sums);
    std::vector<AttentionStatistics> shares;
    for (const auto& range : ranges(c.m)) {
      shares.push_back(part_statistics(q.view, k.view.slice(2, range.first, range.second), c.options,
                                       part_of(c.n, c.m, range), logsumexp, wanted));
    }
    testing::compare_statistics(merge_statistics(shares), judge, wanted);
  });
}

// Queries are cut, too: each rectangle by itself gives its share.
TEST(MergeAttention, a_part_may_be_any_rectangle) {
  MergeCase c;
  c.n = 50, c.m = 70, c.options.mask = Mask::causal() & Mask::sliding_window(30, 0);
  c.options.bias = Bias::alibi(alibi_slopes(c.heads));
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  AttentionOptions options = c.options;
  options.logsumexp = true;
  const AttentionResult whole = attention(q.view, k.view, v.view, options);
  std::vector<AttentionResult> parts;
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 33}, {33, 70}}) {
    parts.push_back(attention(q.view.slice(2, 20, 41), k.view.slice(2, begin, end),
                              v.view.slice(2, begin, end),
                              part_options(options, {20, 41, 50, begin, end, 70})));
  }
  const Tensor got = merge_attention(parts).output;
  const Tensor want = Tensor::copy_of(whole.output.view().slice(2, 20, 41));
  for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_NEAR(got.data()[i], want.data()[i], 5e-6);
}

TEST(MergeAttention, what_no_part_sees_is_zero_and_nan_stays_nan) {
  const Tensor q = Tensor::from({{1, 0}, {0, 1}}), k = Tensor::from({{1, 0}, {0, 1}});
  Tensor v = Tensor::from({{1}, {2}});
  const AttentionOptions hidden{.mask = Mask::dense(Flags{{0, 1}, {0, 0}}), .logsumexp = true};
  v(0, 0) = std::nanf("");  // nobody sees it
  std::vector<AttentionResult> parts;
  for (const Index j : {0, 1}) {
    parts.push_back(attention(q, k.view().slice(0, j, j + 1), v.view().slice(0, j, j + 1),
                              part_options(hidden, {0, 2, 2, j, j + 1, 2})));
  }
  const AttentionResult all = merge_attention(parts);
  EXPECT_EQ(all.output(0, 0), 2.0f);
  EXPECT_EQ(all.output(1, 0), 0.0f);
  EXPECT_EQ(all.logsumexp(1), -std::numeric_limits<float>::infinity());
  parts[1].output(1, 0) = parts[1].logsumexp(1) = std::nanf("");
  EXPECT_TRUE(std::isnan(merge_attention(parts).output(1, 0)));
}

TEST(MergeAttention, parts_that_do_not_fit_are_errors) {
  const Tensor x = Random(1).normal({4, 3});
  const AttentionResult good = attention(x, x, x, {.logsumexp = true});
  const AttentionResult short_one = attention(x.view().slice(0, 0, 2), x, x, {.logsumexp = true});
  EXPECT_EQ(message_of([] { merge_attention({}); }),
            "[merge_attention] got no parts, expected at least one");
  EXPECT_EQ(message_of([&] {
              merge_attention({good, short_one});
            }),
            "[merge_attention] a part has output [2, 3] and log-sum-exp [2], the first one [4, 3] and [4]");
  EXPECT_EQ(message_of([&] {
              merge_attention({good, attention(x, x, x)});
            }),
            "[merge_attention] a part has no log-sum-exp: request it from attention() with "
            "{.logsumexp = true}");
  EXPECT_EQ(message_of([&] {
              part_options({.dropout = 0.1f}, {0, 4, 4, 0, 2, 4});
            }),
            "[part_options] dropout is 0.1, expected 0: parts of one attention cannot drop weights");
  EXPECT_EQ(message_of([&] {
              part_options({}, {0, 4, 4, 3, 5, 4});
            }),
            "[part_options] a part of queries 0..4 and keys 3..5, expected one of 4 queries and 4 keys");
  const AttentionOptions causal = part_options({.mask = Mask::causal()}, {0, 4, 4, 0, 2, 4});
  EXPECT_EQ(message_of([&] { attention(x, x, x, causal); }),
            "[mask] of a part with 4 queries and 2 keys, the call has 4 and 4");
}

}  // namespace
}  // namespace fovea
