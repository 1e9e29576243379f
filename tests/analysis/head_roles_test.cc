#include "fovea/head_roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/capture.h"
#include "fovea/measure_definitions.h"
#include "fovea/run.h"

namespace fovea {
namespace {

// n×n weights: `strong` on the key that key_of(i) names, the rest spread over all keys.
template <typename KeyOf>
Tensor pattern(Index n, double strong, const KeyOf& key_of) {
  Tensor weights({n, n});
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) weights(i, j) = static_cast<float>((1 - strong) / static_cast<double>(n));
    const Index key = key_of(i);
    weights(i, key >= 0 && key < n ? key : i) += static_cast<float>(strong);
  }
  return weights;
}

HeadRole role(const Tensor& weights, const std::vector<std::string>& tokens = {}, const Mask& mask = {}) {
  MeasureOptions options;
  options.tokens = tokens;
  return role_of(measure_attention(weights, mask, options).heads[0][0], tokens);
}

TEST(HeadRoles, positions) {
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return i - 1; })).id, "previous_token");
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return i + 1; })).id, "next_token");
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return i; })).id, "diagonal");
  EXPECT_EQ(role(pattern(12, 0, [](Index i) { return i; })).id, "broad");
}

// Every row looks at the key before its own number. In cross-attention that key is a word of another text.
TEST(HeadRoles, positions_mean_nothing_between_two_texts) {
  const Index n = 12;
  Tensor q({1, 1, n, n}), k({1, 1, n, n});
  for (Index i = 0; i < n; ++i) q(0, 0, i, std::max<Index>(i - 1, 0)) = 40, k(0, 0, i, i) = 1;
  const auto measured = [&](AttentionKind kind) {
    Capture capture;
    capture.attention({kind, 0, q, k, k, {}});
    return measure_attention(fovea::Run(std::move(capture))).heads[0][0];
  };
  EXPECT_EQ(role_of(measured(AttentionKind::encoder)).id, "previous_token");
  const HeadMeasures cross = measured(AttentionKind::cross);
  EXPECT_EQ(role_of(cross).id, "focused");
  for (const Measure measure : {Measure::previous_token, Measure::next_token, Measure::diagonal,
                                Measure::distance, Measure::induction, Measure::block_diagonal}) {
    EXPECT_TRUE(std::isnan(cross[measure])) << measure_definition(measure).name;
  }
  EXPECT_GT(cross[Measure::confidence], 0.9);
}

TEST(HeadRoles, value_and_rule_are_told) {
  const HeadRole previous = role(pattern(10, 0.8, [](Index i) { return i - 1; }));
  EXPECT_NEAR(previous.value, 0.82, 1e-6);
  EXPECT_EQ(previous.name.en, "previous token, 0.82");
  EXPECT_EQ(previous.name.zh, "前一个词，0.82");
  EXPECT_EQ(previous.rule.en, "previous_token 0.82 ≥ 0.4, the largest of the patterns");
  EXPECT_EQ(previous.rule.zh, "previous_token 0.82 ≥ 0.4，为各模式中最大");
}

TEST(HeadRoles, sinks_are_named_by_their_token) {
  const auto sink = [](Index) { return 3; };
  EXPECT_EQ(role(pattern(6, 0.9, sink)).name.en, "sink on key 3, 0.92");
  EXPECT_EQ(role(pattern(6, 0.9, sink), {"[CLS]", "a", "b", "[SEP]", "c", "d"}).name.en,
            "sink on [SEP], 0.92");
  EXPECT_EQ(role(pattern(6, 0.9, sink), {"a", "a", "a", "\x1b[31m", "a", "a"}).name.en.find('\x1b'),
            std::string::npos);
}

TEST(HeadRoles, of_several_patterns_the_one_with_most_weight) {
  Tensor weights({10, 10});
  for (Index i = 0; i < 10; ++i) weights(i, 0) = 0.55f, weights(i, i) += 0.45f;
  EXPECT_EQ(role(weights).name.en,
            "sink on key 0, 0.60");  // the diagonal holds (1 + 9 · 0.45) / 10 = 0.505
  for (Index i = 0; i < 10; ++i) weights(i, 0) = 0.3f, weights(i, i) = 0.7f;
  EXPECT_EQ(role(weights).name.en, "diagonal, 0.70");
}

TEST(HeadRoles, repeated_sequences) {
  const std::vector<std::string> tokens = {"a", "b", "c", "d", "a", "b", "c", "d", "a", "b", "c", "d"};
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return i < 4 ? 0 : i - 3; }), tokens).id, "induction");
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return i < 4 ? i + 4 : i - 4; }), tokens).id, "same_token");
}

// A head of a small model: it rests on <s>, but for a sixth of its weight, which looks for repetitions.
TEST(HeadRoles, an_induction_head_that_mostly_rests_is_no_sink) {
  std::vector<std::string> tokens = {"<s>"};
  for (Index turn = 0; turn < 2; ++turn)
    for (const char* word : {"a", "b", "c", "d", "e", "f", "g", "h"}) tokens.push_back(word);
  const auto resting = [&](double induced, Index place) {
    Tensor weights({17, 17});
    for (Index i = 0; i < 17; ++i) {
      const auto visible = static_cast<double>(i + 1);
      const double strong = i >= 9 ? induced : 0;
      for (Index j = 0; j <= i; ++j) weights(i, j) = static_cast<float>(0.1 / visible);
      weights(i, 0) += static_cast<float>(0.9 - strong);
      weights(i, i >= 9 ? i - place : 0) += static_cast<float>(strong);
    }
    return role(weights, tokens, Mask::causal());
  };
  const HeadRole induction = resting(0.15, 7);
  EXPECT_EQ(induction.id, "induction");
  EXPECT_GT(induction.value, 2);
  EXPECT_TRUE(induction.name.en.starts_with("induction, ") && induction.name.en.ends_with("×"))
      << induction.name.en;
  EXPECT_NE(induction.rule.en.find("induction_lift"), std::string::npos) << induction.rule.en;
  EXPECT_NE(induction.rule.zh.find("没有别的位置"), std::string::npos) << induction.rule.zh;
  Tensor rival = pattern(17, 0, [](Index) { return 0; });
  for (Index i = 0; i < 17; ++i) {
    for (Index j = 0; j < 17; ++j) rival(i, j) = j <= i ? 0.04f / static_cast<float>(i + 1) : 0;
    rival(i, i >= 9 ? i - 7 : 0) += 0.12f;
    rival(i, i >= 9 ? i - 1 : 0) += 0.14f;
    rival(i, 0) += 0.7f;
  }
  EXPECT_EQ(role(rival, tokens, Mask::causal()).id, "sink_share");  // more on the token before
  EXPECT_EQ(resting(0, 7).id, "sink_share");                        // nothing but rest
  EXPECT_EQ(resting(0.15, 8).id, "sink_share");  // the same token, one place further back
  EXPECT_EQ(resting(0.15, 1).id, "sink_share");  // the token before
  tokens[9] = "x";                               // nothing repeats as a whole any more
  EXPECT_EQ(resting(0.15, 7).id, "sink_share");
}

TEST(HeadRoles, a_place_with_more_weight_wins_over_induction) {
  const std::vector<std::string> tokens = {"a", "b", "c", "d", "e", "f", "a", "b", "c", "d", "e", "f"};
  Tensor weights({12, 12});
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) weights(i, j) = 0.1f / 12;
    weights(i, i >= 6 ? i - 5 : i) += 0.42f;
    weights(i, i) += 0.48f;
  }
  EXPECT_EQ(role(weights, tokens).id, "diagonal");
}

TEST(HeadRoles, kinds_of_tokens) {
  const std::vector<std::string> tokens = {"[CLS]", "a", ".", "b", ",", "c", "!", "d", "?", "[SEP]"};
  EXPECT_EQ(role(pattern(10, 0.9, [](Index i) { return i % 2 == 0 ? 0 : 9; }), tokens).id,
            "special_tokens");
  EXPECT_EQ(role(pattern(10, 0.9, [](Index i) { return 2 + 2 * ((i * 3 + 1) % 4); }), tokens).id,
            "punctuation");
}

TEST(HeadRoles, blocks_local_focused_mixed) {
  const std::vector<std::string> tokens = {"a", "b", "c", "d", "e", "[SEP]",
                                           "f", "g", "h", "i", "j", "[SEP]"};
  Tensor blocks({12, 12}), local({12, 12}), mixed({12, 12});
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) {
      blocks(i, j) = i / 6 == j / 6 ? 1.0f / 6 : 0;
      const float near = std::abs(i - j) == 1 || std::abs(i - j) == 2 || (i == j) ? 1.0f : 0;
      local(i, j) = near;
      mixed(i, j) = (i + j) % 3 == 0 ? 0.25f : 0;
    }
    float sum = 0;
    for (Index j = 0; j < 12; ++j) sum += local(i, j);
    for (Index j = 0; j < 12; ++j) local(i, j) /= sum;
  }
  EXPECT_EQ(role(blocks, tokens).id, "block_diagonal");
  EXPECT_EQ(role(local).id, "local");
  EXPECT_EQ(role(mixed).id, "mixed");
  EXPECT_EQ(role(pattern(12, 0.8, [](Index i) { return (5 * i + 3) % 12; })).id, "focused");
}

TEST(HeadRoles, no_choice) {
  EXPECT_EQ(role(Tensor({3, 3})).id, "none");
  EXPECT_EQ(role(Tensor::filled({1, 1}, 1)).id, "one_key");
  EXPECT_EQ(role(Matrix::identity(3).to_tensor(), {}, Mask::sliding_window(0, 0)).id, "one_key");
  EXPECT_EQ(role(Matrix::identity(3).to_tensor()).id, "diagonal");
}

TEST(HeadRoles, uniform_causal_attention_is_broad_though_the_first_key_receives_most) {
  Tensor weights({4, 4});
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j <= i; ++j) weights(i, j) = 1.0f / static_cast<float>(i + 1);
  }
  EXPECT_EQ(role(weights, {}, Mask::causal()).id, "broad");
}

// Each role that can come out is explained by exactly one rule, and role_measures() suffice to find it.
TEST(HeadRoles, rules_and_measures_cover_every_role) {
  std::vector<std::string> ids;
  for (const RoleRule& rule : role_rules()) {
    EXPECT_FALSE(rule.text.en.empty());
    EXPECT_FALSE(rule.text.zh.empty());
    ids.insert(ids.end(), rule.ids.begin(), rule.ids.end());
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  const std::vector<std::string> tokens = {"a", "b", "c", "d", "a", "b", "c", "d", "[SEP]", ".", "x", "y"};
  for (Index shift = -6; shift < 6; ++shift) {
    const Tensor weights = pattern(12, 0.7, [&](Index i) { return i + shift; });
    MeasureOptions options;
    options.tokens = tokens;
    const HeadRole full = role_of(measure_attention(weights, {}, options).heads[0][0]);
    options.measures = role_measures();
    EXPECT_EQ(role_of(measure_attention(weights, {}, options).heads[0][0]).name.en, full.name.en);
    EXPECT_TRUE(std::binary_search(ids.begin(), ids.end(), full.id)) << full.id;
  }
}

}  // namespace
}  // namespace fovea
