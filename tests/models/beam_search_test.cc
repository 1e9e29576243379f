// Beam search against transformers' (tests/data/make_beam_goldens.py), and the rules of what is written.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "fovea/file.h"
#include "fovea/generation.h"
#include "fovea/threads.h"
#include "io/io_testing.h"
#include "io/json.h"
#include "models/model_testing.h"
#include "models/token_rules.h"

namespace fovea {
namespace {

using testing::tiny_model;

GenerationOptions beams(Index count) {
  GenerationOptions options;
  options.beams = count;
  options.max_tokens = 12;
  return options;
}

// The text with the token that ended it, as transformers gives it.
std::vector<Index> with_end(const Generation& text, const std::vector<Index>& want, const Model& model) {
  std::vector<Index> ids = text.ids;
  const auto& ends = model.config().end_ids;
  if (text.ended && std::find(ends.begin(), ends.end(), want.back()) != ends.end())
    ids.push_back(want.back());
  return ids;
}

TEST(BeamSearch, texts_and_scores_are_those_of_transformers) {
  const Json cases = load_json(std::string(FOVEA_TEST_DATA) + "/beams.json");
  ASSERT_GE(cases.size(), 60u);
  std::set<std::string> models;
  Index ended = 0, cut = 0;
  for (const Json& one : cases) {
    const std::string name = one["model"];
    SCOPED_TRACE(name + " " + one["prompt"].dump());
    const Model model = load_model(tiny_model(name));
    GenerationOptions options = beams(one["beams"]);
    options.length_penalty = one["length_penalty"];
    options.early_end = one["early_end"];
    options.max_tokens = one["max_tokens"];
    const std::vector<Generation> found = beam_search(model, one["prompt"], options);
    ASSERT_EQ(found.size(), one["texts"].size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::vector<Index> want = one["texts"][i];
      EXPECT_EQ(with_end(found[i], want, model), want) << i;
      const double score = one["scores"][i];
      EXPECT_NEAR(found[i].score, score, 2e-5 * std::max(1.0, std::abs(score))) << i;
      ++(found[i].ended ? ended : cut);
    }
    EXPECT_EQ(generate(model, one["prompt"], options).ids, found.front().ids);
    models.insert(name);
  }
  EXPECT_EQ(models.size(), 7u);
  EXPECT_GT(ended, 50);
  EXPECT_GT(cut, 50);
}

// With one beam it is the greedy text.
TEST(BeamSearch, one_beam_is_greedy) {
  for (const char* name : {"bart", "marian", "mbart", "t5v11", "llama"}) {
    const Model model = load_model(tiny_model(name));
    const std::vector<Index> prompt = {7, 30, 12, 9};
    const std::vector<Generation> found = beam_search(model, prompt, beams(1));
    ASSERT_EQ(found.size(), 1u);
    const Generation greedy = generate(model, prompt, beams(1));
    EXPECT_EQ(found.front().ids, greedy.ids) << name;
    EXPECT_EQ(found.front().ended, greedy.ended) << name;
  }
}

// The score is that of the text read as a whole.
TEST(BeamSearch, scores_are_log_probabilities_of_the_texts) {
  const Model model = load_model(tiny_model("bart_apart"));
  const std::vector<Index> prompt = {7, 30, 12, 9};
  GenerationOptions options = beams(4);
  options.length_penalty = 0.7;
  options.stop_at_end = false;
  for (const Generation& text : beam_search(model, prompt, options)) {
    std::vector<Index> read = {model.config().decoder_start_id};
    read.insert(read.end(), text.ids.begin(), text.ids.end() - 1);
    const auto count = static_cast<Index>(text.ids.size());
    ASSERT_EQ(count, 12);
    const Tensor logits = model.run({Ids({1, 4}, prompt), {}, {}, Ids({1, count}, read)}).logits;
    double sum = 0;
    for (Index n = 0; n < count; ++n) {
      double all = 0;
      for (Index v = 0; v < 64; ++v) all += std::exp(static_cast<double>(logits(0, n, v)));
      sum += static_cast<double>(logits(0, n, text.ids[static_cast<std::size_t>(n)])) - std::log(all);
    }
    EXPECT_NEAR(text.score, sum / std::pow(12, 0.7), 1e-4);
  }
}

TEST(BeamSearch, is_the_same_with_any_number_of_threads) {
  const Model model = load_model(tiny_model("bart"));
  const int before = thread_count();
  set_thread_count(1);
  const std::vector<Generation> one = beam_search(model, {8, 200, 31}, beams(5));
  set_thread_count(3);
  const std::vector<Generation> three = beam_search(model, {8, 200, 31}, beams(5));
  set_thread_count(before);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].ids, three[i].ids);
    EXPECT_EQ(one[i].score, three[i].score);
  }
}

TEST(BeamSearch, more_beams_than_continuations) {
  const Model model = load_model(tiny_model("mbart"));  // 64 tokens, the first of them forced
  GenerationOptions options = beams(100);
  options.max_tokens = 3;
  const std::vector<Generation> found = beam_search(model, {5, 6}, options);
  EXPECT_GT(found.size(), 1u);
  EXPECT_LE(found.size(), 100u);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].score, found[i].score);
  options.max_tokens = 0;
  EXPECT_TRUE(generate(model, {5, 6}, options).ids.empty());
}

TEST(BeamSearch, tokens_are_told_at_the_end_and_a_request_stops_it) {
  const Model model = load_model(tiny_model("bart"));
  GenerationOptions options = beams(3);
  std::vector<Index> told;
  options.on_token = [&](Index id) { told.push_back(id); };
  const Generation text = generate(model, {8, 200, 31}, options);
  EXPECT_FALSE(text.ids.empty());
  EXPECT_EQ(told, text.ids);
  std::stop_source source;
  options.stop = source.get_token();
  source.request_stop();
  EXPECT_TRUE(generate(model, {8, 200, 31}, options).ids.empty());
}

TEST(BeamSearch, what_cannot_be_done_is_told) {
  const Model model = load_model(tiny_model("bart"));
  const auto error = [&](const std::vector<Index>& prompt, const GenerationOptions& options) {
    return error_of([&] { static_cast<void>(beam_search(model, prompt, options)); });
  };
  EXPECT_TRUE(contains(error({5}, beams(0)), "got 0 beams and length penalty 1; expected 1 to 1024"));
  EXPECT_TRUE(contains(error({}, beams(2)), "needs tokens to read, got none"));
  EXPECT_TRUE(
      contains(error(std::vector<Index>(33, 5), beams(2)), "33 tokens to read, the model's limit is 32"));
  EXPECT_TRUE(contains(error({280}, beams(2)), "is 280, expected 0 to 279"));
  GenerationOptions options = beams(2);
  options.temperature = 1;
  EXPECT_TRUE(contains(error({5}, options), "beam search does not sample"));
  options = beams(2);
  options.length_penalty = NAN;
  EXPECT_TRUE(contains(error({5}, options), "length penalty nan"));
  EXPECT_TRUE(contains(error_of([] { beam_search(load_model(tiny_model("bert")), {1}, beams(2)); }),
                       "BERT models have no decoder"));
}

// generation_config.json of the tiny models: Marian never writes 63, nor a token twice in a row; mBART
// begins with 5. Both end with their end token where the length is used up.
TEST(TokenRules, of_the_files_are_obeyed) {
  const Model marian = load_model(tiny_model("marian")), mbart = load_model(tiny_model("mbart"));
  for (const double temperature : {0.0, 5.0}) {
    GenerationOptions options;
    options.max_tokens = 20;
    options.temperature = temperature;
    const Generation text = generate(marian, {40, 12, 5}, options);
    EXPECT_TRUE(text.ended);
    EXPECT_LE(text.ids.size(), 19u);
    EXPECT_EQ(std::count(text.ids.begin(), text.ids.end(), 63), 0);
    EXPECT_EQ(std::adjacent_find(text.ids.begin(), text.ids.end()), text.ids.end());
    EXPECT_EQ(generate(mbart, {40, 12, 5}, options).ids.front(), 5);
  }
  GenerationOptions endless;
  endless.max_tokens = 100;
  endless.stop_at_end = false;
  EXPECT_EQ(generate(mbart, {40, 12, 5}, endless).ids.size(), 32u);  // as many as there are positions
}

// As in transformers: a file that forbids the end by itself would forbid to stop.
TEST(TokenRules, the_end_may_be_forbidden_after_a_token_only) {
  const float never = -std::numeric_limits<float>::infinity();
  ModelConfig config;
  config.vocabulary = 4;
  config.max_tokens = 10;
  config.end_ids = {2};
  config.forbidden = {{2}, {3}, {1, 2}};
  const auto scores_after = [&](Index last, bool stop_at_end) {
    std::vector<float> scores(4, 1);
    GenerationOptions options;
    options.stop_at_end = stop_at_end;
    TokenRules(config, options, 1).apply({0, last}, scores.data());
    return scores;
  };
  EXPECT_EQ(scores_after(0, true), (std::vector<float>{1, 1, 1, never}));
  EXPECT_EQ(scores_after(1, true), (std::vector<float>{1, 1, never, never}));
  EXPECT_EQ(scores_after(0, false), (std::vector<float>{1, 1, never, never}));
}

}  // namespace
}  // namespace fovea
