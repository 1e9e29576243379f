// fovea train translate: pairs of texts, and one vocabulary for both languages.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/train/task.h"
#include "fovea/error.h"
#include "fovea/text_pairs.h"
#include "fovea/tokenizer.h"
#include "fovea/tokenizer_training.h"
#include "inputs/alignment_options.h"
#include "options.h"
#include "output/output.h"

namespace fovea::command {
namespace {

constexpr Index kMostHeldOut = 500;       // pairs, for each of the two parts
constexpr const char* kStart = "\u0120";  // Ġ: the space that every text begins with

// One vocabulary: words and parts of words of the one language, characters of the other. Lower case: what
// few pairs say of "You" and "you" goes into one token.
std::string make_tokenizer(const std::vector<TextPair>& pairs, Index vocabulary) {
  TokenizerTraining training;
  training.vocabulary = vocabulary;
  training.special = {"<pad>", "</s>"};
  training.end = "</s>";
  training.lower_case = training.prefix_space = training.single_ideographs = true;
  training.min_count = 2;
  std::vector<std::string> texts;
  for (const TextPair& pair : pairs) texts.insert(texts.end(), {pair.source, pair.target});
  return train_tokenizer(texts, training);
}

// The decoder is given the first space as its start, so a target that begins with it begins behind it.
std::vector<TokenPair> encoded(const Tokenizer& tokenizer, const std::vector<TextPair>& pairs, Index start,
                               Index longest, Index& left_out) {
  std::vector<TokenPair> result;
  for (const TextPair& pair : pairs) {
    TokenPair ids = {tokenizer.encode(pair.source).ids, tokenizer.encode(pair.target).ids};
    if (ids.target.front() == start) ids.target.erase(ids.target.begin());
    const auto most = static_cast<std::size_t>(longest);
    if (ids.source.size() > most || ids.target.size() > most || ids.target.empty()) {
      ++left_out;
    } else {
      result.push_back(std::move(ids));
    }
  }
  return result;
}

std::string lines_of(const std::vector<TextPair>& pairs) {
  std::string lines;
  for (const TextPair& pair : pairs) lines += pair.source + "\t" + pair.target + "\n";
  return lines;
}

TaskResult examine_pairs(TrainableModel& model, const TrainingData& data, Index batches) {
  LossResult all;
  for (Index i = 0; i < batches; ++i) {
    const LossResult part = model.loss(data.batch(0, i));
    all.sum += part.sum;
    all.targets += part.targets;
    all.correct += part.correct;
  }
  const double right = static_cast<double>(all.correct) / static_cast<double>(all.targets);
  return {
      {{"loss", all.mean()}, {"perplexity", std::exp(all.mean())}, {"accuracy", right}},
      tr("test pairs, never shown: loss {0:.4f}, perplexity {1:.2f}, {2:.2f} % of the next tokens right",
         all.mean(), std::exp(all.mean()), 100 * right)};
}

}  // namespace

PreparedTask prepare_translate(const TrainSettings& settings, const std::string& tokenizer) {
  const TextPairs file = load_text_pairs(settings.file);
  const auto count = static_cast<Index>(file.pairs.size());
  if (count == 0) {
    throw Error(
        fmt::format("[train] {}: there is no line \"source TAB target\" in it", one_line(settings.file)));
  }
  const PairParts parts = split_pairs(file.pairs, std::clamp<Index>(count / 20, 1, kMostHeldOut),
                                      static_cast<std::uint64_t>(settings.seed));
  const std::string json =
      tokenizer.empty() ? make_tokenizer(parts.learned, settings.vocabulary) : tokenizer;
  const Tokenizer read = Tokenizer::from_json(json);
  PreparedTask task = task_with_sizes(settings, read.size(), settings.length);
  task.tokenizer = json;
  task.config.pad_id = *read.token_to_id("<pad>");
  task.config.end_id = *read.token_to_id("</s>");
  task.config.start_id = *read.token_to_id(kStart);
  task.config.inner_width = 2 * settings.width;  // half the usual one: pairs are few, so layers are narrow
  task.label_smoothing = 0.1f;

  Index left_out = 0;
  const auto data_of = [&](const std::vector<TextPair>& pairs) {
    const auto ids = std::make_shared<const std::vector<TokenPair>>(
        encoded(read, pairs, task.config.start_id, settings.length, left_out));
    return training_data(TranslationTask{ids, settings.batch, task.config.pad_id, task.config.start_id});
  };
  task.data = data_of(parts.learned);
  task.held_out = data_of(parts.development);
  const auto batches_of = [&](const std::vector<TextPair>& pairs) {
    return (static_cast<Index>(pairs.size()) + settings.batch - 1) / settings.batch;
  };
  task.held_out_batches = batches_of(parts.development);
  task.examine = [test = data_of(parts.test), batches = batches_of(parts.test)](TrainableModel& model) {
    return examine_pairs(model, *test, batches);
  };
  task.files = {{"development.tsv", lines_of(parts.development)}, {"test.tsv", lines_of(parts.test)}};
  if (!file.broken.empty()) {
    task.notes.push_back(tr("{0}: {1} broken lines left out, expected \"source TAB target\": {2}",
                            one_line(settings.file), file.broken.size(), numbers_of_lines(file.broken)));
  }
  if (left_out > 0) {
    task.notes.push_back(tr("{0} pairs of more than {1} tokens left out; --length sets the limit", left_out,
                            settings.length));
  }
  task.notes.push_back(tr("{0} pairs to learn from, {1} to evaluate on, {2} for the test; {3} tokens",
                          parts.learned.size(), parts.development.size(), parts.test.size(), read.size()));
  return task;
}

}  // namespace fovea::command
