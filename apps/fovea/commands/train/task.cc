#include "commands/train/task.h"

#include <fmt/core.h>

#include <cmath>

#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/text_model.h"
#include "fovea/tokenizer.h"
#include "fovea/tokenizer_training.h"
#include "inputs/coreference_cases.h"
#include "options.h"
#include "output/output.h"

namespace fovea::command {
namespace {

// Away from the batches of the training, which come from other seeds.
constexpr std::uint64_t kExamination = 0x657861'6d696e65;

ModelFamily family_named(const std::string& name) {
  if (name == "llama") return ModelFamily::llama;
  if (name == "bert") return ModelFamily::bert;
  return name == "bart" ? ModelFamily::bart : ModelFamily::gpt2;
}

BatchScore score_batches(TrainableModel& model, const TrainingData& data, Index batches) {
  BatchScore all;
  for (Index i = 0; i < batches; ++i) {
    const BatchScore score = score_batch(model, data.batch(kExamination, i));
    all.sequences += score.sequences;
    all.right += score.right;
    all.targets += score.targets;
    all.correct += score.correct;
  }
  return all;
}

double loss_on(TrainableModel& model, const TrainingData& data, Index batches) {
  LossResult all;
  for (Index i = 0; i < batches; ++i) {
    const LossResult part = model.loss(data.batch(kExamination, i));
    all.sum += part.sum;
    all.targets += part.targets;
  }
  return all.mean();
}

double share(Index part, Index all) { return static_cast<double>(part) / static_cast<double>(all); }

PreparedTask prepare_sort(const TrainSettings& settings) {
  std::vector<std::string> digits;
  for (Index digit = 0; digit < kSortVocabulary; ++digit) digits.push_back(fmt::format("{}", digit));
  PreparedTask task = task_with_sizes(settings, kSortVocabulary + 1, 2 * settings.length - 1);
  task.tokenizer = word_tokenizer(digits, true);
  task.data = task.held_out = training_data(SortTask{.digits = settings.length, .batch = settings.batch});
  const auto lists = training_data(SortTask{.digits = settings.length, .batch = 1000});
  task.examine = [lists](TrainableModel& model) -> TaskResult {
    const BatchScore score = score_batches(model, *lists, 10);
    return {{{"lists", static_cast<double>(score.sequences)},
             {"sorted", static_cast<double>(score.right)},
             {"share", share(score.right, score.sequences)}},
            tr("{0} of {1} new lists are sorted without a mistake", score.right, score.sequences)};
  };
  return task;
}

// A model of words is easier to look at than one of numbers.
const std::vector<std::string>& induction_words() {
  static const std::vector<std::string> kWords = {
      "the",   "a",    "cat",   "dog",  "bird",  "fish", "cow",  "horse", "sheep", "hen",   "sun",
      "moon",  "star", "sky",   "sea",  "hill",  "tree", "leaf", "rose",  "rain",  "snow",  "wind",
      "fire",  "rock", "home",  "door", "wall",  "road", "ship", "car",   "bread", "milk",  "salt",
      "egg",   "tea",  "cup",   "book", "pen",   "song", "bell", "red",   "blue",  "green", "black",
      "white", "old",  "new",   "big",  "small", "hot",  "cold", "fast",  "slow",  "run",   "walk",
      "sit",   "eat",  "sleep", "sing", "read",  "give", "take", "find",  "keep"};
  return kWords;
}

PreparedTask prepare_induction(const TrainSettings& settings) {
  const auto& words = induction_words();
  InductionTask data = {
      .vocabulary = static_cast<Index>(words.size()), .tokens = settings.length, .batch = settings.batch};
  PreparedTask task = task_with_sizes(settings, data.vocabulary + 1, settings.length);
  task.tokenizer = word_tokenizer(words);
  task.data = task.held_out = training_data(data);
  data.batch = 256;
  data.part = InductionTask::Part::first;
  const auto first = training_data(data);
  data.part = InductionTask::Part::repeats;
  const auto repeats = training_data(data);
  task.examine = [first, repeats](TrainableModel& model) -> TaskResult {
    const double before = loss_on(model, *first, 8), after = loss_on(model, *repeats, 8);
    const BatchScore score = score_batches(model, *repeats, 8);
    return {
        {{"first_loss", before},
         {"repeat_loss", after},
         {"repeat_accuracy", share(score.correct, score.targets)}},
        tr("loss on what comes for the first time {0:.4f}, on repeats {1:.4f}; {2:.2f} % of the repeats "
           "are predicted",
           before, after, 100 * share(score.correct, score.targets))};
  };
  return task;
}

PreparedTask prepare_addition(const TrainSettings& settings) {
  AdditionTask data = {.batch = settings.batch};
  std::vector<std::string> words;
  for (Index n = 0; n < data.modulus; ++n) words.push_back(fmt::format("{}", n));
  words.insert(words.end(), {"+", "="});
  PreparedTask task = task_with_sizes(settings, data.modulus + 3, settings.length);
  task.tokenizer = word_tokenizer(words);
  task.data = training_data(data);
  data.held_out = true;
  data.batch = 1000;
  task.held_out = training_data(data);
  task.held_out_batches = 2;
  task.examine = [held_out = task.held_out, modulus = data.modulus](TrainableModel& model) -> TaskResult {
    const BatchScore score = score_batches(model, *held_out, 4);
    const double right = share(score.correct, score.targets);
    return {{{"modulus", static_cast<double>(modulus)}, {"accuracy", right}},
            tr("{0:.2f} % of sums modulo {1} that were never shown are right", 100 * right, modulus)};
  };
  return task;
}

PreparedTask prepare_coreference(const TrainSettings& settings) {
  PreparedTask task = task_with_sizes(settings, coreference_vocabulary(), settings.length);
  task.config.pad_id = coreference_pad();
  task.tokenizer = segmenting_tokenizer(coreference_words());
  CoreferenceTask data = {.batch = settings.batch};
  task.data = training_data(data);
  data = {.batch = 250, .part = CoreferencePart::development, .people = CoreferencePeople::different};
  task.held_out = training_data(data);
  task.held_out_batches = 4;
  task.examine = [tokenizer = Tokenizer::from_json(task.tokenizer)](TrainableModel& model) -> TaskResult {
    const auto cases = pointing_cases(coreference_sentences(
        CoreferencePart::development, CoreferencePeople::different, 1000, kExamination));
    const PointingReport report =
        measure_pointing(TextModel(model.to_model("coreference"), tokenizer), cases);
    const HeadChoice head = best_pointing_head(report);
    const PointingScore& score = report.at(head);
    return {
        {{"sentences", static_cast<double>(report.cases)},
         {"layer", static_cast<double>(head.layer)},
         {"head", static_cast<double>(head.head)},
         {"right_name_has_more", score.right_share()},
         {"right_name_has_most", score.largest_share()},
         {"named", share(report.named, report.cases)}},
        tr("of {0} sentences with people who were never seen together, {1} has more weight on the right "
           "name than on the other in {2:.1f} %, and the model names it in {3:.1f} %",
           report.cases, head.name(), 100 * score.right_share(), 100 * share(report.named, report.cases))};
  };
  return task;
}

std::string read_text(const std::string& file) {
  std::string text = read_file(file);
  if (text.empty()) throw Error(fmt::format("[train] {}: the file is empty", one_line(file)));
  if (const auto at = invalid_utf8(text)) {
    throw Error(fmt::format("[train] {}: byte {} (0x{:02x}) is not valid UTF-8", one_line(file), *at + 1,
                            static_cast<unsigned char>(text[*at])));
  }
  return text;
}

PreparedTask prepare_text(const TrainSettings& settings, const std::string& tokenizer) {
  const std::string text = read_text(settings.file);
  const bool masked = settings.family == "bert";
  std::string json = tokenizer;
  if (json.empty()) {
    TokenizerTraining training;
    training.kind = tokenizer_kind(settings.tokenizer);
    training.vocabulary = settings.vocabulary;
    if (masked) training.special = {"<mask>"};
    json = train_tokenizer({text}, training);
  }
  const Tokenizer read = Tokenizer::from_json(json);
  const auto ids = std::make_shared<const std::vector<Index>>(read.encode(text).ids);
  const TextParts parts = text_parts(static_cast<Index>(ids->size()));
  if (settings.length > parts.learned - 1) {
    throw Error(fmt::format(
        "[train] {}: {} tokens, of which {} are learned from: --length is {}, expected at "
        "most {}",
        one_line(settings.file), ids->size(), parts.learned, settings.length, parts.learned - 1));
  }
  PreparedTask task = task_with_sizes(settings, read.size(), settings.length);
  task.tokenizer = json;
  TextTask data = {.ids = ids, .tokens = settings.length, .batch = settings.batch};
  if (masked) {
    data.mask_id = *read.token_to_id("<mask>");
    data.vocabulary = read.size();
  }
  task.data = training_data(data);
  data.held_out = true;
  task.held_out = training_data(data);
  task.examine = [held_out = task.held_out, masked](TrainableModel& model) -> TaskResult {
    const double loss = loss_on(model, *held_out, 16);
    return {{{"loss", loss}, {"perplexity", std::exp(loss)}},
            masked ? tr("loss on masked tokens of the text's last tenth {0:.4f}, perplexity {1:.2f}", loss,
                        std::exp(loss))
                   : tr("loss on the text's last tenth {0:.4f}, perplexity {1:.2f}", loss, std::exp(loss))};
  };
  return task;
}

}  // namespace

PreparedTask task_with_sizes(const TrainSettings& settings, Index vocabulary, Index max_tokens) {
  PreparedTask task;
  task.config.family = family_named(settings.family);
  task.config.vocabulary = vocabulary;
  task.config.layers = settings.layers;
  task.config.heads = settings.heads;
  task.config.width = settings.width;
  task.config.max_tokens = max_tokens;
  task.config.dropout = static_cast<float>(settings.dropout);
  return task;
}

PreparedTask prepare_task(const TrainSettings& settings, const std::string& tokenizer) {
  if (settings.task == "sort") return prepare_sort(settings);
  if (settings.task == "induction") return prepare_induction(settings);
  if (settings.task == "addition") return prepare_addition(settings);
  if (settings.task == "translate") return prepare_translate(settings, tokenizer);
  if (settings.task == "coreference") return prepare_coreference(settings);
  return prepare_text(settings, tokenizer);
}

}  // namespace fovea::command
