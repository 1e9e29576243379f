// What heads of our own models look at. A model that is not installed is named as missing, and nothing is
// computed.
#include <algorithm>

#include "core/fail.h"
#include "fovea/softmax.h"
#include "fovea/text_model.h"
#include "lessons/live_builder.h"

namespace fovea {
namespace {

using Labels = std::vector<std::string>;

// The tokens that a word of the text became: those whose last byte stands within it. Names of tokens would
// not do, because tokenizers write spaces and bytes into them.
std::vector<Index> tokens_of(const TokenSequence& tokens, std::string_view text, std::string_view word) {
  const Index begin = static_cast<Index>(text.find(word)), end = begin + static_cast<Index>(word.size());
  std::vector<Index> found;
  for (std::size_t i = 0; i < tokens.ends.size(); ++i) {
    const Index last = tokens.ends[i] - 1;
    if (tokens.begins[i] <= last && last >= begin && last < end) found.push_back(static_cast<Index>(i));
  }
  if (found.empty())
    fail("[live] the model reads {}, expected a token for {}", listed(tokens.tokens, 30), word);
  return found;
}

// What these rows have on these keys: the sum over the keys, the mean over the rows.
double weight_between(const Tensor& weights, const std::vector<Index>& rows,
                      const std::vector<Index>& keys) {
  double sum = 0;
  for (const Index row : rows) {
    for (const Index key : keys) sum += weights(row, key);
  }
  return sum / static_cast<double>(rows.size());
}

Matrix row_of(const Tensor& weights, Index row) {
  Matrix result(1, weights.shape()[1]);
  for (Index j = 0; j < weights.shape()[1]; ++j) result(0, j) = weights(row, j);
  return result;
}

constexpr const char* kRepeatedWords = "old tree red moon big bird sing new song old tree";

TextRun repeated_words(const TextModel& model) { return model.read({kRepeatedWords}); }

// Mean weight on the word before, and on the first word, of rows 1, 2, ...
double mean_below(const Tensor& weights, bool first) {
  double sum = 0;
  const Index n = weights.shape()[0];
  for (Index i = 1; i < n; ++i) sum += weights(i, first ? 0 : i - 1);
  return sum / static_cast<double>(n - 1);
}

struct BestHead {
  Index layer = 0, head = 0;
  double weight = -1;
};

// The head of the run that puts most weight from one word on another.
BestHead best_head(const Run& run, AttentionKind kind, const std::vector<Index>& queries,
                   const std::vector<Index>& keys) {
  BestHead best;
  for (Index layer = 0; layer < run.layers(kind); ++layer) {
    for (Index head = 0; head < run.layer(kind, layer).heads(); ++head) {
      const Tensor weights = run.weights({.kind = kind, .layer = layer, .head = head});
      const double weight = weight_between(weights, queries, keys);
      if (weight > best.weight) best = {layer, head, weight};
    }
  }
  return best;
}

}  // namespace

// The last word, tree, was there before, and red followed: who knows?
void live_induction(LiveBuilder& live) {
  const Index layer = live.count("layer", 1, 0, 1), head = live.count("head", 3, 0, 3);
  const std::string folder = live.model("induction");
  if (folder.empty()) return;
  const TextModel model = TextModel::load(folder);
  const TextRun read = repeated_words(model);
  const Labels tokens = read.run.query_tokens(AttentionKind::decoder);
  const Index last = static_cast<Index>(tokens.size()) - 1, follower = 2;  // red
  const auto weights = [&](Index of_layer, Index of_head) {
    return read.run.weights({.kind = AttentionKind::decoder, .layer = of_layer, .head = of_head});
  };
  live.show_weights("weights", row_of(weights(layer, head), last), {tokens.back()}, tokens);
  BestHead previous;
  for (Index candidate = 0; candidate < 4; ++candidate) {
    const double weight = mean_below(weights(0, candidate), false);
    if (weight > previous.weight) previous = {0, candidate, weight};
  }
  const BestHead induction = best_head(read.run, AttentionKind::decoder, {last}, {follower});
  live.number("previous", previous.weight);
  live.number("previous_head", static_cast<double>(previous.head));
  live.number("follower", induction.weight);
  live.number("follower_layer", static_cast<double>(induction.layer));
  live.number("follower_head", static_cast<double>(induction.head));
  const Tensor logits = model.model().run(read.input).logits;  // [1, N, V]
  const Tensor chances = softmax(logits);
  live.number("chance", chances(0, last, read.input.ids(0, follower)));
}

// How much of their weight the heads leave on the very first word: the mean over texts that begin with each
// of the nine words in turn, and the lowest value of the head that does it most.
void live_first_token(LiveBuilder& live) {
  const std::string folder = live.model("induction");
  if (folder.empty()) return;
  const TextModel model = TextModel::load(folder);
  std::vector<std::string> words = {"old", "tree", "red", "moon", "big", "bird", "sing", "new", "song"};
  const AttentionKind kind = AttentionKind::decoder;
  const Index layers = model.model().config().layers, heads = model.model().config().heads;
  Matrix mean(layers, heads), lowest = Matrix::filled(layers, heads, 1);
  for (std::size_t text = 0; text < words.size(); ++text) {
    std::string written = words[0];
    for (std::size_t i = 1; i <= words.size() + 1; ++i) written += " " + words[i % words.size()];
    const Run run = model.read({written}).run;
    for (Index layer = 0; layer < layers; ++layer) {
      for (Index head = 0; head < heads; ++head) {
        const double share = mean_below(run.weights({.kind = kind, .layer = layer, .head = head}), true);
        mean(layer, head) += share / static_cast<double>(words.size());
        lowest(layer, head) = std::min(lowest(layer, head), share);
      }
    }
    std::rotate(words.begin(), words.begin() + 1, words.end());
  }
  live.show_weights("share", mean);
  const auto largest = std::max_element(mean.values().begin(), mean.values().end());
  live.number("largest", *largest);
  live.number("lowest", lowest.values()[static_cast<std::size_t>(largest - mean.values().begin())]);
  live.number("texts", static_cast<double>(words.size()));
}

// One sentence that was read, and where its pronoun stands.
struct ReadSentence {
  std::string text;
  Run run;
  std::vector<Index> pronoun;

  ReadSentence(const TextModel& model, std::string sentence, std::string_view pronoun_word)
      : text(std::move(sentence)),
        run(model.read({text}).run),
        pronoun(tokens_of(tokens(), text, pronoun_word)) {}

  const TokenSequence& tokens() const { return run.tokens(AttentionKind::encoder).queries.front(); }
  double weight_on(const BestHead& head, std::string_view word) const {
    return weight_between(weights(head), pronoun, tokens_of(tokens(), text, word));
  }
  Tensor weights(const BestHead& head) const {
    return run.weights({.kind = AttentionKind::encoder, .layer = head.layer, .head = head.head});
  }
};

// From 她 to the two names; `swap` exchanges them. The head is the one that does it best in the first
// sentence, and the same one is asked about the others.
void live_coreference(LiveBuilder& live) {
  const bool swap = live.is_on("swap", false);
  const std::string folder = live.model("coreference");
  if (folder.empty()) return;
  const TextModel model = TextModel::load(folder);
  const ReadSentence given(model, "小明把苹果给了小红，她很开心", "她");
  const ReadSentence swapped(model, "小红把苹果给了小明，她很开心", "她");
  const ReadSentence alone(model, "小明去商店买了苹果，然后他回家了", "他");
  const BestHead best = best_head(given.run, AttentionKind::encoder, given.pronoun,
                                  tokens_of(given.tokens(), given.text, "小红"));
  const ReadSentence& shown = swap ? swapped : given;
  live.show_weights("weights", row_of(shown.weights(best), shown.pronoun.front()), {"她"},
                    shown.run.key_labels(AttentionKind::encoder));
  live.number("right", given.weight_on(best, "小红"));
  live.number("other", given.weight_on(best, "小明"));
  live.number("swapped_right", swapped.weight_on(best, "小红"));
  live.number("swapped_other", swapped.weight_on(best, "小明"));
  live.number("alone", alone.weight_on(best, "小明"));
  live.number("layer", static_cast<double>(best.layer));
  live.number("head", static_cast<double>(best.head));
  const ModelConfig& config = model.model().config();
  live.number("heads", static_cast<double>(config.layers * config.heads));
}

// "I love you." → 我爱你。: cross-attention of the last layer, mean of its heads, summed into words. The
// row that predicts a token is that of the token before it.
void live_translation(LiveBuilder& live) {
  const std::string folder = live.model("en-zh");
  if (folder.empty()) return;
  const std::string source = "I love you.", target = "我爱你。";
  const Run run = TextModel::load(folder).read({source, target}).run;
  constexpr AttentionKind kKind = AttentionKind::cross;
  const Tensor weights =
      run.weights({.kind = kKind, .layer = run.layers(kKind) - 1, .merge = HeadMerge::mean});
  const Labels written = {"我", "爱", "你"}, read = {"I", "love", "you", "."};
  const TokenSequence &queries = run.tokens(kKind).queries.front(), &keys = run.tokens(kKind).keys.front();
  Matrix aligned(3, 4);
  for (Index i = 0; i < 3; ++i) {
    std::vector<Index> rows = tokens_of(queries, target, written[static_cast<std::size_t>(i)]);
    for (Index& row : rows) row = std::max(row, Index{1}) - 1;
    for (Index j = 0; j < 4; ++j) {
      aligned(i, j) =
          weight_between(weights, rows, tokens_of(keys, source, read[static_cast<std::size_t>(j)]));
    }
  }
  live.show_weights("weights", aligned, written, read);
  live.number("love", aligned(1, 1));
}

}  // namespace fovea
