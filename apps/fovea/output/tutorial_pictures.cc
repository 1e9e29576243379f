#include "output/tutorial_pictures.h"

#include <map>

#include "fovea/attention.h"
#include "fovea/examples.h"
#include "fovea/random.h"

namespace fovea::command {
namespace {

constexpr const char* kSentence =
    "the old man told the young man that the sea was calm and that the big fish would soon come";

// weights [N, M] or [H, N, M] of one layer.
PictureInput input_of(const Tensor& weights, const std::vector<std::string>& tokens) {
  PictureInput input;
  const Index heads = weights.shape().rank() == 3 ? weights.shape()[0] : 1;
  for (Index h = 0; h < heads; ++h) input.heads.push_back({.head = h});
  input.queries = weights.shape().back(1), input.keys = weights.shape().back(0);
  input.values = weights.reshaped({heads, input.queries, input.keys});
  input.query_labels = input.key_labels = tokens;
  input.layer_heads = heads;
  return input;
}

TutorialPicture five_words(PictureStyle style) {
  const Account account = example("five-words").account;
  style.colormap = "YlOrRd";
  style.title = "我 喜欢 学习 AI 技术";
  style.key_title = "Key (被关注的词)";
  style.query_title = "Query (当前词)";
  style.bar_title = "Attention Weight";
  PictureInput input = input_of(account.weights().to_tensor(), account.tokens);
  return {"five-words.png", tr("Five words, X 5×5 from NumPy's seed 42, Q = K = V = X."),
          heatmap_picture(input, style)};
}

// One N(0, 1) vector of width 64 per word; a word that comes again has the same one.
TutorialPicture twenty_tokens(PictureStyle style) {
  const std::vector<std::string> tokens = split_tokens(kSentence);
  std::map<std::string, Index> vocabulary;
  for (const std::string& token : tokens) vocabulary.emplace(token, static_cast<Index>(vocabulary.size()));
  Random random = Random::numpy(42);
  constexpr Index kWidth = 64;
  const Tensor embedding = random.randn({static_cast<Index>(vocabulary.size()), kWidth});
  Tensor x({static_cast<Index>(tokens.size()), kWidth});
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (Index c = 0; c < kWidth; ++c) x(static_cast<Index>(i), c) = embedding(vocabulary.at(tokens[i]), c);
  }
  style.colormap = "viridis";
  style.title = tr("A sentence of twenty tokens").in(style.language);
  style.key_title = "Key Tokens";
  style.query_title = "Query Tokens";
  style.bar_title = "Attention Weight";
  style.values = false;
  return {"twenty-tokens.png",
          tr("Twenty tokens with random vectors of width 64: each word attends to every occurrence of "
             "itself."),
          heatmap_picture(input_of(attention(x, x, x, {.weights = true}).weights, tokens), style)};
}

TutorialPicture eight_heads(PictureStyle style) {
  Random random = Random::numpy(42);
  const Tensor q = random.randn({1, 8, 5, 16}), k = random.randn({1, 8, 5, 16});
  const Tensor weights = attention(q, k, k, {.weights = true}).weights.reshaped({8, 5, 5});
  style.colormap = "Blues";
  style.range = ColorRange::unit();
  return {"eight-heads.png",
          tr("Eight heads over [CLS] The cat sat [SEP], queries and keys from NumPy's seed 42."),
          grid_picture(input_of(weights, split_tokens("[CLS] The cat sat [SEP]")), style)};
}

TutorialPicture sparse_mask(const PictureStyle& style) {
  return {"sparse-mask.png", tr("The sparse mask: neighbours up to 4 away, and every fourth position."),
          mask_kind_picture(Mask::sparse(4), 16, 16, {}, style)};
}

}  // namespace

std::vector<TutorialPicture> tutorial_pictures(Language language) {
  PictureStyle style;
  style.language = language;
  return {five_words(style), twenty_tokens(style), eight_heads(style), sparse_mask(style)};
}

}  // namespace fovea::command
