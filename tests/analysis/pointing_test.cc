#include "fovea/pointing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/tokenizer_training.h"
#include "fovea/trainable_model.h"
#include "support/message_of.h"

namespace fovea {
namespace {

// Large random weights: peaked rows, different in every head.
TextModel model_of_letters() {
  TrainableConfig config;
  config.family = ModelFamily::bert;
  config.vocabulary = 8;
  config.layers = 2, config.heads = 2, config.width = 16, config.max_tokens = 8;
  TrainableModel model(config, Random(3));
  for (const TrainableParameter& parameter : model.parameters()) {
    if (!parameter.decays) continue;
    View values = model.parameter(parameter.name);
    for (Index i = 0; i < parameter.shape.elements(); ++i) values.data()[i] *= 20;
  }
  return {model.to_model(), Tokenizer::from_json(word_tokenizer({"a", "b", "c", "d", "e", "f", "g"}))};
}

const std::vector<PointingCase>& pointed() {
  static const std::vector<PointingCase> kCases = {
      {"a b c d e", 2, 0, 4}, {"f g a", 0, 2, 1}, {"c a b e d f", 5, 3, 0}, {"b a d c", 1, 2, 3}};
  return kCases;
}

TEST(Pointing, is_what_the_whole_matrices_say) {
  const TextModel model = model_of_letters();
  const PointingReport report = measure_pointing(model, pointed());
  ASSERT_EQ(report.heads.size(), 2u);
  EXPECT_EQ(report.cases, 4);
  for (Index layer = 0; layer < 2; ++layer) {
    ASSERT_EQ(report.heads[static_cast<std::size_t>(layer)].size(), 2u);
    for (Index head = 0; head < 2; ++head) {
      Index right = 0, largest = 0;
      double right_weight = 0, other_weight = 0, even = 0, lean = 0;
      for (const PointingCase& each : pointed()) {
        const Tensor w = model.read({each.text}).run.weights({.layer = layer, .head = head});  // [N, N]
        const double r = w(each.query, each.right), o = w(each.query, each.other);
        Index beaten = 0;
        for (Index key = 0; key < w.shape()[1]; ++key)
          beaten += w(each.query, key) < w(each.query, each.right);
        right += r > o;
        largest += beaten == w.shape()[1] - 1;
        right_weight += r / 4, other_weight += o / 4;
        even += 0.25 / static_cast<double>(w.shape()[1]);
        lean += 0.25 * std::max(r, o) / (r + o);
      }
      const PointingScore& score = report.at({.layer = layer, .head = head});
      EXPECT_EQ(score.cases, 4);
      EXPECT_EQ(score.right, right);
      EXPECT_EQ(score.largest, largest);
      EXPECT_NEAR(score.right_weight, right_weight, 1e-6);
      EXPECT_NEAR(score.other_weight, other_weight, 1e-6);
      EXPECT_NEAR(score.even_weight, even, 1e-12);
      EXPECT_NEAR(score.lean, lean, 1e-6);
    }
  }
}

TEST(Pointing, the_output_names_a_token_with_a_probability) {
  const TextModel model = model_of_letters();
  std::vector<PointingCase> all;  // half of the ways to take three of seven letters: some are named
  for (Index query = 0; query < 7; ++query) {
    for (Index right = 0; right < 7; ++right) {
      for (Index other = 0; other < 7; ++other) {
        if (query != right && query != other && right < other)
          all.push_back({"c a g b e d f", query, right, other});
      }
    }
  }
  const auto count = static_cast<double>(all.size());
  const PointingReport report = measure_pointing(model, all);
  Index named = 0;
  double right = 0, other = 0;
  for (const PointingCase& each : all) {
    const TextRun read = model.read({each.text});
    const Tensor logits = model.model().run(read.input).logits;
    std::vector<double> powers;
    double sum = 0;
    for (Index id = 0; id < 8; ++id)
      sum += powers.emplace_back(std::exp(static_cast<double>(logits(0, each.query, id))));
    const auto p = [&](Index place) {
      return powers[static_cast<std::size_t>(read.input.ids(0, place))] / sum;
    };
    right += p(each.right) / count, other += p(each.other) / count;
    named +=
        std::max_element(powers.begin(), powers.end()) - powers.begin() == read.input.ids(0, each.right);
  }
  EXPECT_GT(named, 0);
  EXPECT_EQ(report.named, named);
  EXPECT_NEAR(report.right_probability, right, 1e-6);
  EXPECT_NEAR(report.other_probability, other, 1e-6);
}

TEST(Pointing, the_best_head_has_the_most_right_cases_then_the_most_weight) {
  PointingReport report;
  report.cases = 10;
  report.heads = {{{.right = 6, .right_weight = 0.9}, {.right = 7, .right_weight = 0.1}},
                  {{.right = 7, .right_weight = 0.2}, {.right = 5, .right_weight = 0.95}}};
  EXPECT_EQ(best_pointing_head(report).name(), "L1H0");
}

TEST(Pointing, what_makes_no_sense_is_an_error) {
  const TextModel model = model_of_letters();
  EXPECT_EQ(testing::message_of([&] { measure_pointing(model, {}); }),
            "[measure_pointing] got no cases, expected at least one");
  EXPECT_EQ(testing::message_of([&] {
              measure_pointing(model, {{"a b", 0, 1, 2}});
            }),
            "[measure_pointing] got position 2 in a text of 2 tokens, expected less");
  EXPECT_EQ(testing::message_of([&] {
              measure_pointing(model, {{"a b c", 1, 1, 2}});
            }),
            "[measure_pointing] got positions 1, 1 and 2, expected three different ones");
  EXPECT_THROW(best_pointing_head({}), Error);
  EXPECT_THROW(measure_pointing(model, pointed()).at({.layer = 2}), Error);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(measure_pointing(model, pointed(), source.get_token()), Stopped);
}

}  // namespace
}  // namespace fovea
