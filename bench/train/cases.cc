#include "train/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fail.h"
#include "fovea/random.h"
#include "fovea/threads.h"

namespace fovea::bench {
namespace {

struct TrainingSize {
  const char* name;
  Index layers, heads, width, batch, tokens, vocabulary;
};

constexpr TrainingSize kTrainingSizes[] = {
    {"gpt-nano", 3, 3, 48, 64, 16, 10},    // minGPT's smallest, on lists of digits
    {"gpt-nano", 3, 3, 48, 16, 128, 65},   // the same on characters
    {"gpt2-6x384", 6, 6, 384, 4, 256, 65}  // nanoGPT's on characters
};

// Products only. A dense layer takes three: y, dx and dW. Attention takes two forward and five backward,
// each of half the pairs: the mask is causal. The table of words is the output layer, too.
double training_flops(const TrainingSize& s) {
  const auto of = [](Index x) { return static_cast<double>(x); };
  const double rows = of(s.batch * s.tokens), width = of(s.width);
  const double dense = of(s.layers) * 12 * width * width + of(s.vocabulary) * width;
  const double attention = of(s.layers) * rows * of(s.tokens) * width;
  return 6 * rows * dense + 7 * attention;
}

CaseInfo training_info(const TrainingSize& s, int threads) {
  CaseInfo info;
  info.operation = Operation::training;
  info.id = fmt::format("train-{}-{}x{}-{}t", s.name, s.batch, s.tokens, threads);
  const std::string what = fmt::format("{}, {} × {}", s.name, s.batch, s.tokens);
  info.label = {fmt::format("{}, {} thread{}", what, threads, threads == 1 ? "" : "s"),
                fmt::format("{}，{} 个线程", what, threads)};
  info.mask = "causal";
  info.batch = s.batch, info.queries = info.keys = s.tokens;
  info.heads = info.key_heads = s.heads;
  info.width = info.value_width = s.width;
  info.threads = threads;
  info.flops = training_flops(s);
  return info;
}

TrainingBatch random_batch(const TrainingSize& s, Random& random) {
  TrainingBatch batch = {Ids::filled({s.batch, s.tokens}, 0), Ids::filled({s.batch, s.tokens}, 0)};
  for (Index i = 0; i < s.batch * s.tokens; ++i) {
    batch.ids.data()[i] = random.below(s.vocabulary);
    batch.targets.data()[i] = random.below(s.vocabulary);
  }
  return batch;
}

TrainingCase training_case(const TrainingSize& s, const CaseInfo& info) {
  TrainingCase c = {info, {}, {}};
  c.config = {.family = ModelFamily::gpt2,
              .vocabulary = s.vocabulary,
              .layers = s.layers,
              .heads = s.heads,
              .width = s.width,
              .max_tokens = s.tokens};
  Random random(2);
  for (Index i = 0; i < kComparedSteps; ++i) c.batches.push_back(random_batch(s, random));
  return c;
}

// A line of kTrainingSizes for which one of the words is part of the name.
template <typename Take>
void for_chosen(const std::vector<std::string>& wanted, int threads, const Take& take) {
  std::vector<std::string> words = wanted;
  std::erase(words, "train");
  bool any = false;
  for (const TrainingSize& size : kTrainingSizes) {
    const CaseInfo info = training_info(size, threads);
    const auto names = [&](const std::string& word) { return info.id.find(word) != std::string::npos; };
    if (!words.empty() && std::none_of(words.begin(), words.end(), names)) continue;
    take(size, info);
    any = true;
  }
  if (!any) fail("[bench] no training matches; fovea bench --list train lists them");
}

}  // namespace

std::vector<TrainingCase> training_cases(const std::vector<std::string>& wanted, int threads) {
  std::vector<TrainingCase> cases;
  for_chosen(wanted, threads, [&](const TrainingSize& size, const CaseInfo& info) {
    cases.push_back(training_case(size, info));
  });
  return cases;
}

std::vector<ScenarioInfo> list_training(const std::vector<std::string>& wanted) {
  std::vector<ScenarioInfo> scenarios;
  const auto add = [&](int threads) {
    scenarios.push_back({"train", {}});
    for_chosen(wanted, threads,
               [&](const TrainingSize&, const CaseInfo& info) { scenarios.back().cases.push_back(info); });
  };
  add(1);
  if (thread_count() > 1) add(thread_count());
  return scenarios;
}

}  // namespace fovea::bench
