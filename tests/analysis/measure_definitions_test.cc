// Every measure is documented, and every documented measure is computed.
#include "fovea/measure_definitions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "fovea/head_roles.h"
#include "fovea/head_similarity.h"
#include "fovea/rollout.h"
#include "support/message_of.h"

namespace fovea {
namespace {

// Two layers of two heads over a repeated sequence of two sentences: every measure applies.
struct SampleRun {
  SampleRun() : weights({2, 2, 10, 10}) {
    for (Index at = 0; at < weights.shape().elements(); ++at)
      weights.data()[at] = static_cast<float>(1 + (at * 7919) % 13);
    for (Index row = 0; row < 40; ++row) {
      float sum = 0;
      for (Index j = 0; j < 10; ++j) sum += weights.data()[row * 10 + j];
      for (Index j = 0; j < 10; ++j) weights.data()[row * 10 + j] /= sum;
    }
    options.tokens = {"[CLS]", "a", ",", "b", "[SEP]", "a", ",", "b", "[SEP]", "a"};
    options.period = 4;
  }
  Tensor weights;
  MeasureOptions options;
};

TEST(MeasureDefinitions, complete_in_both_languages) {
  std::set<std::string> names;
  for (const MeasureDefinition& definition : measure_definitions()) {
    EXPECT_TRUE(names.insert(definition.name).second) << definition.name;
    for (const Text* text : {&definition.title, &definition.formula, &definition.definition,
                             &definition.range, &definition.caveat}) {
      EXPECT_FALSE(text->en.empty()) << definition.name;
      EXPECT_FALSE(text->zh.empty()) << definition.name;
    }
    EXPECT_NE(definition.definition.en, definition.definition.zh) << definition.name;
    EXPECT_NE(definition.caveat.en, definition.caveat.zh) << definition.name;
    for (const Language language : {Language::english, Language::chinese}) {
      const std::string text = to_terminal(definition, {.language = language});
      EXPECT_NE(text.find(definition.name), std::string::npos);
      EXPECT_NE(text.find(definition.formula.in(language)), std::string::npos);
    }
  }
  EXPECT_EQ(measure_definitions().size(), kMeasureCount + 4);
}

// Weights [L, H, N, N] of one sequence.
fovea::Run stored(const Tensor& weights) {
  const Shape s = weights.shape();
  return fovea::Run::from_weights(weights.reshaped({s[0], 1, s[1], s[2], s[3]}));
}

TEST(MeasureDefinitions, every_one_is_computed) {
  const SampleRun run;
  fovea::Run with_norms = stored(run.weights);  // what is passed on needs them
  for (Index l = 0; l < 2; ++l) {
    with_norms.set_value_norms(AttentionKind::encoder, l, Tensor::filled({1, 2, 10}, 3));
  }
  const AttentionMeasures measures = measure_attention(with_norms, run.options);
  const std::map<std::string, std::function<bool()>> others = {
      {"role", [&] { return !role_of(measures.heads[0][0]).name.en.empty(); }},
      {"head_similarity", [&] { return head_similarity(run.weights).divergence(0, 1) > 0; }},
      {"rollout", [&] { return attention_rollout(stored(run.weights))(0, 1) > 0; }},
      {"attention_flow", [&] { return attention_flow(stored(run.weights))(0, 1) > 0; }}};
  std::size_t of_heads = 0;
  for (const MeasureDefinition& definition : measure_definitions()) {
    if (!definition.measure) {
      ASSERT_EQ(others.count(definition.name), 1u) << definition.name << " is documented, but not computed";
      EXPECT_TRUE(others.at(definition.name)()) << definition.name;
      continue;
    }
    ++of_heads;
    EXPECT_EQ(&measure_definition(*definition.measure), &definition);
    EXPECT_EQ(&measure_definition(definition.name), &definition);
    const double value = measures.heads[1][1][*definition.measure];
    EXPECT_TRUE(std::isfinite(value)) << definition.name;
    EXPECT_GT(value, 0) << definition.name;
  }
  EXPECT_EQ(of_heads, kMeasureCount);
}

TEST(MeasureDefinitions, unknown_names_are_told_what_there_is) {
  const std::string message = testing::message_of([] { measure_definition("entrophy"); });
  EXPECT_TRUE(message.starts_with("[measures] there is no measure \"entrophy\"; there are entropy, "));
  EXPECT_TRUE(message.ends_with("rollout, attention_flow"));
}

}  // namespace
}  // namespace fovea
