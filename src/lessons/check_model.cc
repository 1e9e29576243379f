#include "lessons/check_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "fovea/coreference.h"
#include "fovea/head_roles.h"
#include "fovea/measures.h"
#include "fovea/pointing.h"
#include "fovea/text_model.h"
#include "fovea/train.h"
#include "fovea/training_tasks.h"

namespace fovea {
namespace {

std::string name_of(const HeadName& head) { return fmt::format("L{}H{}", head.layer, head.head); }
bool same_head(const HeadName& a, const HeadName& b) { return a.layer == b.layer && a.head == b.head; }

std::string folder_of(const std::string& model, const CheckOptions& options) {
  const std::string folder = options.models ? options.models(model) : "";
  if (folder.empty()) fail("[check] the model \"{}\" is not installed", model);
  return folder;
}

// Is the answer right but for how it was counted?
Text counting_hint(const HeadName& got, const HeadName& right) {
  if (got.layer == right.layer + 1 && got.head == right.head + 1) {
    return {"You counted from 1: layers and heads are counted from 0 here.",
            "你是从 1 开始数的：这里的层和头都从 0 开始数。"};
  }
  if (got.layer == right.head && got.head == right.layer) {
    return {"Layer and head are exchanged: the layer comes first.", "层和头写反了：层在前。"};
  }
  return {};
}

Diagnosis outside(const HeadName& got, const HeadName& right, Index layers, Index heads) {
  Diagnosis diagnosis;
  const Text hint = counting_hint(got, right);
  diagnosis.sentences.push_back(
      {fmt::format("There is no {}: the model has {} layers of {} heads, counted from 0.", name_of(got),
                   layers, heads),
       fmt::format("没有 {}：这个模型有 {} 层，每层 {} 个头，从 0 开始数。", name_of(got), layers, heads)});
  if (!hint.en.empty()) diagnosis.sentences.push_back(hint);
  return diagnosis;
}

Diagnosis one_head_only() {
  return {Verdict::unknown,
          {},
          {},
          {{"One head, please: its layer and its number, such as L1H0.",
            "请只写一个头：层号和头号，例如 L1H0。"}}};
}

Diagnosis check_previous_token(const Exercise& exercise, const HeadName& got, const CheckOptions& options) {
  const TextModel model = TextModel::load(folder_of("induction", options));
  const std::string words = "old tree red moon big bird sing new song hot tea cold rain ";
  const AttentionMeasures measures = measure_attention(model.read({words + words}).run);
  const auto score = [&](Index layer, Index head) {
    return measures.heads[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
  };
  const Index layers = static_cast<Index>(measures.heads.size()),
              heads = static_cast<Index>(measures.heads.front().size());
  HeadName right;
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index head = 0; head < heads; ++head) {
      if (score(layer, head)[Measure::previous_token] >
          score(right.layer, right.head)[Measure::previous_token]) {
        right = {layer, head};
      }
    }
  }
  if (got.layer >= layers || got.head >= heads) return outside(got, right, layers, heads);
  const double weight = score(got.layer, got.head)[Measure::previous_token];
  const Text measured = {
      fmt::format("{} gives {} of its weight to the previous word.", name_of(got), percent(weight)),
      fmt::format("{} 把 {} 的权重给了前一个词。", name_of(got), percent(weight))};
  if (same_head(got, right)) return {Verdict::correct, {}, {}, {measured, exercise.reason, exercise.next}};
  Diagnosis diagnosis;
  diagnosis.sentences.push_back(measured);
  const HeadRole role = role_of(score(got.layer, got.head));
  diagnosis.sentences.push_back(
      {fmt::format("What it mostly does: {}. The head you look for gives more than 90 %.", role.name.en),
       fmt::format("它主要做的是：{}。要找的头给前一个词的权重超过 90 %。", role.name.zh)});
  const Text hint = counting_hint(got, right);
  if (!hint.en.empty()) diagnosis.sentences.push_back(hint);
  return diagnosis;
}

// The loss on words that repeat, with what a head adds to the stream set to zero: its columns of the output
// projection [E, H·D].
double loss_without(const std::string& folder, const HeadName* head) {
  TrainableModel model = load_pretrained(folder);
  if (head != nullptr) {
    View weights = model.parameter(fmt::format("model.layers.{}.self_attn.o_proj.weight", head->layer));
    const Index width = weights.shape()[1], each = width / model.config().heads;
    for (Index row = 0; row < weights.shape()[0]; ++row) {
      for (Index n = 0; n < each; ++n) weights.data()[row * width + head->head * each + n] = 0;
    }
  }
  InductionTask task = {.batch = 16};
  task.part = InductionTask::Part::repeats;
  return model.loss(training_data(task)->batch(20261, 0)).mean();
}

Diagnosis check_broken(const Exercise& exercise, const HeadName& got, const CheckOptions& options) {
  const std::string folder = folder_of("induction", options);
  const ModelConfig config = inspect_model(folder).config;
  const Index layers = std::max(config.layers, config.decoder_layers);
  const double guessing = std::log(static_cast<double>(config.vocabulary));
  if (got.layer >= layers || got.head >= config.heads) return outside(got, {0, 0}, layers, config.heads);
  const double whole = loss_without(folder, nullptr), without = loss_without(folder, &got);
  const Text measured = {
      fmt::format(
          "Without {} the loss on repeated words is {:.2f}; it was {:.2f}, and guessing gives {:.2f}.",
          name_of(got), without, whole, guessing),
      fmt::format("去掉 {} 之后，重复词上的损失是 {:.2f}；原来是 {:.2f}，瞎猜是 {:.2f}。", name_of(got),
                  without, whole, guessing)};
  if (without >= guessing) return {Verdict::correct, {}, {}, {measured, exercise.reason, exercise.next}};
  Diagnosis diagnosis;
  diagnosis.sentences.push_back(measured);
  diagnosis.sentences.push_back(
      {"The model still knows more than somebody who guesses: other heads do the same work. Which head do all "
       "of them depend on?",
       "模型仍然比瞎猜强：还有别的头在做同样的事。它们都依赖哪一个头？"});
  return diagnosis;
}

// The sentence of the task and the one with its names swapped; and sentences that the model never saw.
struct PronounReports {
  PointingReport task, others;
};

PointingCase pronoun_case(const TextModel& model, const std::string& text) {
  const std::vector<std::string> tokens =
      model.read({text}).run.tokens(AttentionKind::encoder).queries.front().tokens;
  const auto position = [&](const char* word) {
    const auto found = std::find(tokens.begin(), tokens.end(), word);
    if (found == tokens.end()) fail("[check] the model \"coreference\" does not know {}", word);
    return static_cast<Index>(found - tokens.begin());
  };
  return {text, position("她"), position("小红"), position("小明")};
}

PronounReports measure_pronouns(const TextModel& model) {
  constexpr Index kSentences = 100;
  constexpr std::uint64_t kSeed = 18;
  std::vector<PointingCase> others;
  for (const CoreferenceSentence& each :
       coreference_sentences(CoreferencePart::test, CoreferencePeople::different, kSentences, kSeed)) {
    others.push_back({each.text, each.pronoun, each.right, each.other});
  }
  return {measure_pointing(model, {pronoun_case(model, "小明把苹果给了小红，她很开心。"),
                                   pronoun_case(model, "小红把苹果给了小明，她很开心。")}),
          measure_pointing(model, others)};
}

// The head with most weight on 小红, wherever the name stands.
HeadName surest_head(const PointingReport& report) {
  HeadName best;
  double most = -1;
  for (std::size_t layer = 0; layer < report.heads.size(); ++layer) {
    for (std::size_t head = 0; head < report.heads[layer].size(); ++head) {
      const double weight = report.heads[layer][head].right_weight;
      if (weight <= most) continue;
      most = weight;
      best = {static_cast<Index>(layer), static_cast<Index>(head)};
    }
  }
  return best;
}

Diagnosis check_pronoun(const Exercise& exercise, const HeadName& got, const CheckOptions& options) {
  const TextModel model = TextModel::load(folder_of("coreference", options));
  const PronounReports reports = measure_pronouns(model);
  const Index layers = static_cast<Index>(reports.task.heads.size()),
              heads = static_cast<Index>(reports.task.heads.front().size());
  const HeadName right = surest_head(reports.task);
  if (got.layer >= layers || got.head >= heads) return outside(got, right, layers, heads);
  const auto layer = static_cast<std::size_t>(got.layer), head = static_cast<std::size_t>(got.head);
  const PointingScore &task = reports.task.heads[layer][head], &others = reports.others.heads[layer][head];
  const Text measured = {
      fmt::format(
          "In {} 她 puts {} of its weight on 小红 and {} on 小明, on average of both sentences. In {} of {} "
          "other sentences it prefers the right person.",
          name_of(got), percent(task.right_weight), percent(task.other_weight), others.right, others.cases),
      fmt::format(
          "在 {} 里，“她”给小红 {} 的权重，给小明 {}（两个句子的平均）。在另外 {} 个句子中，它有 {} "
          "句更看重对的人。",
          name_of(got), percent(task.right_weight), percent(task.other_weight), others.cases,
          others.right)};
  if (same_head(got, right)) return {Verdict::correct, {}, {}, {measured, exercise.reason, exercise.next}};
  Diagnosis diagnosis;
  diagnosis.sentences.push_back(measured);
  diagnosis.sentences.push_back({"Another head is surer: it gives 小红 nearly everything.",
                                 "另有一个头更肯定：它几乎把全部权重都给了小红。"});
  const Text hint = counting_hint(got, right);
  if (!hint.en.empty()) diagnosis.sentences.push_back(hint);
  return diagnosis;
}

}  // namespace

Diagnosis check_head(const Exercise& exercise, const std::vector<HeadName>& heads,
                     const CheckOptions& options) {
  if (heads.size() != 1) return one_head_only();
  if (exercise.id == "break-the-head") return check_broken(exercise, heads.front(), options);
  if (exercise.id == "pronoun") return check_pronoun(exercise, heads.front(), options);
  return check_previous_token(exercise, heads.front(), options);
}

}  // namespace fovea
