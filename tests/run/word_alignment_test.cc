#include "fovea/word_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

std::string model_folder(const char* name) { return std::string(FOVEA_TEST_DATA) + "/models/" + name; }

TEST(WordAlignment, words) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_between_spaces("  I love\u3000you.\n"), (Words{"I", "love", "you."}));
  EXPECT_EQ(words_and_marks("I don't love you, Tom."),
            (Words{"I", "don't", "love", "you", ",", "Tom", "."}));
  EXPECT_EQ(words_and_marks("我爱 NHK。"), (Words{"我", "爱", "NHK", "。"}));
}

TEST(WordAlignment, words_are_joined_as_they_are_written) {
  const JoinedWords english = join_words({"I", "do", "n't", "love", "you", "."});
  EXPECT_EQ(english.text, "I don't love you.");
  EXPECT_EQ(english.words[3], (TextSpan{8, 12}));
  EXPECT_EQ(english.words[5], (TextSpan{16, 17}));
  const JoinedWords chinese = join_words({"我", "喜欢", "New", "York", "。"});
  EXPECT_EQ(chinese.text, "我喜欢New York。");
  EXPECT_EQ(chinese.words[1], (TextSpan{3, 9}));
}

TEST(WordAlignment, pharaoh) {
  EXPECT_EQ(to_pharaoh({{0, 0}, {1, 2}}), "0-0 1-2");
  EXPECT_EQ(to_pharaoh({}), "");
}

// The weights of words are those of tokens, summed: computed here from the run itself.
TEST(WordAlignment, weights_are_sums_of_the_tokens) {
  const TextModel model = TextModel::load(model_folder("t5"));
  const std::vector<std::string> source = {"the", "quick", "fox", "jumps"}, target = {"the", "lazy", "dog"};
  const TextRun read = model.read({"the quick fox jumps", "the lazy dog"});
  const LayerView& layer = read.run.layer(AttentionKind::cross, 1);
  const Tensor weights = layer.crop({0, layer.queries(), 0, layer.keys()});
  const TokenSequence &keys = read.run.tokens(AttentionKind::cross).keys[0],
                      &queries = read.run.tokens(AttentionKind::cross).queries[0];
  const auto word_of = [](const TokenSequence& tokens, std::size_t i, const std::string& text) {
    if (tokens.ends[i] == tokens.begins[i]) return Index{-1};
    Index word = 0;
    for (Index at = 0; at < tokens.ends[i] - 1; ++at) word += text[static_cast<std::size_t>(at)] == ' ';
    return word;
  };
  for (const AlignmentReading reading : {AlignmentReading::predicting, AlignmentReading::reading}) {
    std::vector<double> want(12, 0);
    for (std::size_t n = 1; n < queries.ids.size(); ++n) {
      const Index t = word_of(queries, n, "the lazy dog");
      const Index row = static_cast<Index>(n) - (reading == AlignmentReading::predicting ? 1 : 0);
      for (std::size_t m = 0; m < keys.ids.size(); ++m) {
        const Index s = word_of(keys, m, "the quick fox jumps");
        if (s >= 0 && t >= 0) {
          want[static_cast<std::size_t>(4 * t + s)] +=
              static_cast<double>(weights(0, 0, row, static_cast<Index>(m)));
        }
      }
    }
    const WordAlignment got = align_words(model, source, target,
                                          {.layer = 1, .heads = {0}, .reading = reading, .threshold = 0.6});
    ASSERT_EQ(got.weights.shape(), (Shape{3, 4}));
    std::size_t links = 0;
    for (Index t = 0; t < 3; ++t) {
      double sum = 0, largest = 0;
      for (Index s = 0; s < 4; ++s) {
        sum += want[static_cast<std::size_t>(4 * t + s)];
        largest = std::max(largest, want[static_cast<std::size_t>(4 * t + s)]);
      }
      for (Index s = 0; s < 4; ++s) {
        const double share = want[static_cast<std::size_t>(4 * t + s)] / sum;
        EXPECT_NEAR(static_cast<double>(got.weights(t, s)), share, 1e-6);
        links += share * sum >= 0.6 * largest;
      }
    }
    EXPECT_EQ(got.links.size(), links);
    const WordAlignment single =
        align_words(model, source, target, {.layer = 1, .heads = {0}, .reading = reading, .threshold = 1});
    EXPECT_EQ(single.links.size(), 3u);
  }
}

TEST(WordAlignment, what_does_not_fit_is_an_error) {
  const TextModel model = TextModel::load(model_folder("t5"));
  const auto message = [&](const AlignmentOptions& options) {
    return message_of([&] { align_words(model, {"the"}, {"fox"}, options); });
  };
  EXPECT_EQ(message({.layer = 9}).substr(0, 25), "[align] layer 9, expected");
  EXPECT_EQ(message({.heads = {77}}).substr(0, 25), "[align] head 77, expected");
  EXPECT_NE(message({.threshold = 0}).find("a threshold of 0"), std::string::npos);
  EXPECT_EQ(message_of([&] { align_words(model, {}, {"fox"}); }), "[align] the source has no words");
  const TextModel gpt2 = TextModel::load(model_folder("gpt2"));
  EXPECT_NE(message_of([&] { align_words(gpt2, {"a"}, {"b"}); }).find("only an encoder with a decoder"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
