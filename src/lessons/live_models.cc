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

// The first token that contains the word; throws Error if there is none.
Index place_of(const Labels& tokens, std::string_view word) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].find(word) != std::string::npos) return static_cast<Index>(i);
  }
  fail("[live] the model reads {}, expected a token {}", listed(tokens, 30), word);
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

// The head of the run that puts most weight from one token on another.
BestHead best_head(const Run& run, AttentionKind kind, Index query, Index key) {
  BestHead best;
  for (Index layer = 0; layer < run.layers(kind); ++layer) {
    for (Index head = 0; head < run.layer(kind, layer).heads(); ++head) {
      const double weight = run.weights({.kind = kind, .layer = layer, .head = head})(query, key);
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
  const Index last = static_cast<Index>(tokens.size()) - 1, follower = place_of(tokens, "red");
  const auto weights = [&](Index of_layer, Index of_head) {
    return read.run.weights({.kind = AttentionKind::decoder, .layer = of_layer, .head = of_head});
  };
  live.show_weights("weights", row_of(weights(layer, head), last), {tokens.back()}, tokens);
  BestHead previous;
  for (Index candidate = 0; candidate < 4; ++candidate) {
    const double weight = mean_below(weights(0, candidate), false);
    if (weight > previous.weight) previous = {0, candidate, weight};
  }
  const BestHead induction = best_head(read.run, AttentionKind::decoder, last, follower);
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

// From 她 to the two names; `swap` exchanges them. The head is the one that does it best in the first
// sentence, and the same one is asked about the second.
void live_coreference(LiveBuilder& live) {
  const bool swap = live.is_on("swap", false);
  const std::string folder = live.model("coreference");
  if (folder.empty()) return;
  const TextModel model = TextModel::load(folder);
  constexpr AttentionKind kKind = AttentionKind::encoder;
  const Run runs[] = {model.read({"小明把苹果给了小红，她很开心"}).run,
                      model.read({"小红把苹果给了小明，她很开心"}).run};
  const Labels tokens = runs[0].query_tokens(kKind);
  const BestHead best = best_head(runs[0], kKind, place_of(tokens, "她"), place_of(tokens, "小红"));
  for (const bool swapped : {false, true}) {
    const Run& run = runs[swapped ? 1 : 0];
    const Labels words = run.query_tokens(kKind);
    const Tensor weights = run.weights({.kind = kKind, .layer = best.layer, .head = best.head});
    const Matrix row = row_of(weights, place_of(words, "她"));
    if (swapped == swap) live.show_weights("weights", row, {"她"}, words);
    live.number(swapped ? "swapped_right" : "right", row(0, place_of(words, "小红")));
    live.number(swapped ? "swapped_other" : "other", row(0, place_of(words, "小明")));
  }
  live.number("layer", static_cast<double>(best.layer));
  live.number("head", static_cast<double>(best.head));
  live.number("heads", static_cast<double>(runs[0].layers(kKind) * runs[0].layer(kKind, 0).heads()));
}

// "I love you" → 我爱你: cross-attention of the last layer, mean of its heads. The row that predicts a word
// is that of the token before it.
void live_translation(LiveBuilder& live) {
  const std::string folder = live.model("en-zh");
  if (folder.empty()) return;
  const Run run = TextModel::load(folder).read({"I love you.", "我爱你。"}).run;
  constexpr AttentionKind kKind = AttentionKind::cross;
  const Labels written = run.query_tokens(kKind), source = run.key_tokens(kKind);
  const Tensor weights =
      run.weights({.kind = kKind, .layer = run.layers(kKind) - 1, .merge = HeadMerge::mean});
  const Labels words = {"我", "爱", "你"};
  Matrix aligned(3, static_cast<Index>(source.size()));
  for (Index i = 0; i < 3; ++i) {
    const Index row = place_of(written, words[static_cast<std::size_t>(i)]) - 1;
    if (row < 0) fail("[live] the model reads {}, expected a token before 我", listed(written));
    for (Index j = 0; j < aligned.columns(); ++j) aligned(i, j) = weights(row, j);
  }
  live.show_weights("weights", aligned, words, source);
  live.number("love", aligned(1, place_of(source, "love")));
}

}  // namespace fovea
