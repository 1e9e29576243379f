#include <algorithm>

#include "fovea/tokenizer_training.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/utf8.h"
#include "fovea/tokenizer.h"
#include "support/message_of.h"
#include "text/tokenizer_testing.h"

namespace fovea {
namespace {

using testing::message_of;
using testing::sample_texts;

constexpr TokenizerKind kKinds[] = {TokenizerKind::words, TokenizerKind::characters,
                                    TokenizerKind::byte_pairs};

Tokenizer trained(const std::vector<std::string>& texts, const TokenizerTraining& options) {
  return Tokenizer::from_json(train_tokenizer(texts, options));
}

std::vector<std::string> tokens_of(const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (Index id = 0; id < tokenizer.size(); ++id) tokens.push_back(tokenizer.id_to_token(id).value_or("?"));
  return tokens;
}

TEST(TrainTokenizer, words_by_frequency) {
  const Tokenizer words = trained({"b a, b c a b!"}, {.kind = TokenizerKind::words});
  EXPECT_EQ(tokens_of(words), (std::vector<std::string>{"<unk>", "b", "a", "!", ",", "c"}));
  EXPECT_EQ(words.encode("a d, b").ids, (std::vector<Index>{2, 0, 4, 1}));
  EXPECT_EQ(words.decode({2, 4, 1}), "a , b");
}

TEST(TrainTokenizer, characters_by_code_point) {
  const Tokenizer characters = trained({"b 我a"}, {.kind = TokenizerKind::characters});
  EXPECT_EQ(tokens_of(characters), (std::vector<std::string>{"<unk>", " ", "a", "b", "我"}));
  EXPECT_EQ(characters.encode("我 ax").ids, (std::vector<Index>{4, 1, 2, 0}));
  EXPECT_EQ(characters.decode({4, 1, 2}), "我 a");
}

// The example of Sennrich's paper, counted by hand: "es" (9), then "est" (9), then "lo" (7), "low" (7).
TEST(TrainTokenizer, byte_pairs_merge_the_most_frequent_first) {
  std::string text;
  const auto put = [&](const char* word, int times) {
    for (int i = 0; i < times; ++i) text += std::string(word) + "\n";
  };
  put("low", 5);
  put("lower", 2);
  put("newest", 6);
  put("widest", 3);
  TokenizerTraining options;
  options.vocabulary = 256 + 4;
  const Tokenizer pairs = trained({text}, options);
  EXPECT_EQ(pairs.size(), 260);
  const std::vector<std::string> tokens = tokens_of(pairs);
  EXPECT_EQ(std::vector<std::string>(tokens.begin() + 256, tokens.end()),
            (std::vector<std::string>{"es", "est", "lo", "low"}));
  EXPECT_EQ(pairs.encode("lowest").tokens, (std::vector<std::string>{"low", "est"}));
}

// A pair that overlaps itself: what is left of "aaa" after one merge is "aa" "a".
TEST(TrainTokenizer, pairs_that_overlap_are_counted_anew) {
  TokenizerTraining options;
  options.vocabulary = 256 + 2;
  const std::vector<std::string> tokens = tokens_of(trained({"aaaa"}, options));
  EXPECT_EQ(tokens[256], "aa");
  EXPECT_EQ(tokens[257], "aaaa");
}

TEST(TrainTokenizer, special_tokens_come_first_and_are_never_split) {
  for (const TokenizerKind kind : kKinds) {
    TokenizerTraining options;
    options.kind = kind;
    options.special = {"<mask>"};
    const Tokenizer tokenizer = trained({"a text with <mask> in it, and one more <mask>"}, options);
    EXPECT_EQ(tokenizer.token_to_id("<mask>"), 0) << to_string(kind);
    EXPECT_TRUE(tokenizer.is_special(0));
    const std::vector<Index> ids = tokenizer.encode("text <mask> text").ids;
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 0), 1) << to_string(kind);
  }
}

TEST(TrainTokenizer, vocabularies_keep_their_limit) {
  const std::vector<std::string> texts = sample_texts();
  for (const TokenizerKind kind : kKinds) {
    TokenizerTraining options;
    options.kind = kind;
    options.vocabulary = 300;
    EXPECT_LE(trained(texts, options).size(), 300) << to_string(kind);
  }
  EXPECT_EQ(trained(texts, {.vocabulary = 300}).size(), 300);
}

TEST(TrainTokenizer, the_same_texts_give_the_same_file) {
  for (const TokenizerKind kind : kKinds) {
    TokenizerTraining options;
    options.kind = kind;
    EXPECT_EQ(train_tokenizer(sample_texts(), options), train_tokenizer(sample_texts(), options));
  }
}

TEST(TrainTokenizer, what_it_learned_from_comes_back) {
  const std::vector<std::string> texts = sample_texts();
  for (const std::string& text : texts) {
    if (!is_utf8(text)) continue;
    const Tokenizer characters = trained({text + "x"}, {.kind = TokenizerKind::characters});
    const Tokenizer pairs = trained({text + "x"}, {.vocabulary = 400});
    EXPECT_EQ(characters.decode(characters.encode(text).ids, false), text);  // <unk> may stand in it
    EXPECT_EQ(pairs.decode(pairs.encode(text).ids), text);
  }
}

// Any text through byte pairs of another one; words and characters of the text itself, whose ids survive.
TEST(TrainTokenizer, round_trips) {
  const Tokenizer pairs = trained(sample_texts(), {.vocabulary = 500});
  rc::check("byte pairs give every text back", [&] {
    const auto points = *rc::gen::container<std::vector<char32_t>>(
        rc::gen::oneOf(rc::gen::inRange<char32_t>(1, 0x80), rc::gen::inRange<char32_t>(0xA0, 0xD7FF),
                       rc::gen::inRange<char32_t>(0x10000, 0x1FFFF)));
    std::string text;
    for (const char32_t c : points) text += encode_utf8(c);
    RC_ASSERT(pairs.decode(pairs.encode(text).ids) == text);
    if (text.empty()) return;
    const Tokenizer characters = trained({text}, {.kind = TokenizerKind::characters});
    const Encoding spelled = characters.encode(text);
    RC_ASSERT(spelled.ids.size() == points.size());
    RC_ASSERT(characters.decode(spelled.ids) == text);
  });
  rc::check("words keep their ids", [] {
    const auto words = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'e')))));
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    const Tokenizer tokenizer = trained({text}, {.kind = TokenizerKind::words});
    const Encoding encoding = tokenizer.encode(text);
    RC_ASSERT(encoding.tokens == words);
    RC_ASSERT(tokenizer.decode(encoding.ids) == text);
  });
}

TEST(TrainTokenizer, what_makes_no_sense_is_an_error) {
  EXPECT_EQ(message_of([] { train_tokenizer({""}); }),
            "[tokenizer] the texts hold nothing to make tokens of");
  EXPECT_EQ(message_of([] { train_tokenizer({" \n"}, {.kind = TokenizerKind::words}); }),
            "[tokenizer] the texts hold nothing to make tokens of");
  EXPECT_EQ(message_of([] {
              train_tokenizer({"fine", "a\xff"});
            }),
            "[tokenizer] text 2: byte 2 (0xff) is not valid UTF-8");
  EXPECT_EQ(message_of([] { train_tokenizer({"abc"}, {.vocabulary = 200}); }),
            "[tokenizer] a vocabulary of 200 tokens, the bytes need 256 at least");
  EXPECT_EQ(message_of([] { tokenizer_kind("letters"); }),
            "[tokenizer] there is no kind \"letters\"; there are words, characters, bpe");
  EXPECT_THROW(train_tokenizer({"a"}, {.special = {"<x>", "<x>"}}), Error);
}

TEST(WordTokenizer, has_exactly_these_words) {
  const Tokenizer digits = Tokenizer::from_json(word_tokenizer({"0", "1", "2", "3"}, true));
  EXPECT_EQ(digits.size(), 5);
  EXPECT_EQ(digits.encode("3 1").ids, (std::vector<Index>{3, 1}));
  EXPECT_EQ(digits.encode("312").ids, (std::vector<Index>{3, 1, 2}));
  EXPECT_EQ(digits.encode("1 9").ids, (std::vector<Index>{1, 4}));
  EXPECT_EQ(digits.encode("1 9").unknown.size(), 1u);
  const Tokenizer sums = Tokenizer::from_json(word_tokenizer({"12", "+", "="}));
  EXPECT_EQ(sums.encode("12 + 12 =").ids, (std::vector<Index>{0, 1, 0, 2}));
  EXPECT_THROW(word_tokenizer({"two words"}), Error);
  EXPECT_THROW(word_tokenizer({"12"}, true), Error);
}

TEST(SegmentingTokenizer, cuts_a_text_without_spaces_into_as_few_words_as_possible) {
  const Tokenizer tokenizer =
      Tokenizer::from_json(segmenting_tokenizer({"小明", "借", "借给", "给", "了", "书", "，"}));
  using Tokens = std::vector<std::string>;
  EXPECT_EQ(tokenizer.encode("小明借给了小明，书").tokens,
            (Tokens{"小明", "借给", "了", "小明", "，", "书"}));
  EXPECT_EQ(tokenizer.encode(" 小明 借 给\n书").tokens, (Tokens{"小明", "借", "给", "书"}));
  EXPECT_EQ(tokenizer.encode("小红和给").ids, (std::vector<Index>{7, 3}));  // what is unknown is one token
  EXPECT_EQ(tokenizer.token_to_id("<unk>"), 7);
  EXPECT_EQ(tokenizer.pad_id(), 8);
  EXPECT_EQ(tokenizer.decode({0, 2, 4, 5}), "小明借给了书");
  EXPECT_THROW(segmenting_tokenizer({"two words"}), Error);
  EXPECT_THROW(segmenting_tokenizer({"给", "给"}), Error);
}

TEST(WordLevel, needs_its_unknown_token) {
  const auto error = [](const std::string& model) {
    return message_of([&] { testing::SmallTokenizer{.model = model}.make(); });
  };
  EXPECT_EQ(error(R"({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "u"})"),
            "[tokenizer] tokenizer.json: model.unk_token: the token \"u\" is not in the vocabulary");
}

// One vocabulary for two languages: first words as anywhere else, ideographs one by one, an end.
TEST(TrainTokenizer, byte_pairs_of_translations) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) texts.insert(texts.end(), {"You love tea", "tea, you", "我爱你", "我爱茶"});
  TokenizerTraining options;
  options.vocabulary = 300;
  options.special = {"<pad>", "</s>"};
  options.end = "</s>";
  options.lower_case = options.prefix_space = options.single_ideographs = true;
  const Tokenizer pairs = trained(texts, options);
  const std::vector<Index> english = pairs.encode("Tea you").ids, other = pairs.encode("you tea").ids;
  ASSERT_EQ(english.size(), 3u);
  EXPECT_EQ(english, (std::vector<Index>{other[1], other[0], *pairs.token_to_id("</s>")}));
  const Encoding chinese = pairs.encode("我爱你");
  EXPECT_EQ(chinese.size(), 5);  // the first space, three characters, the end
  EXPECT_EQ(chinese.tokens.front(), "\u0120");
  EXPECT_EQ(pairs.decode(chinese.ids), " 我爱你");
  for (const std::string& token : tokens_of(pairs)) EXPECT_LE(token.size(), 12u) << token;
  EXPECT_EQ(message_of([&] {
              options.end = "<end>";
              train_tokenizer(texts, options);
            }),
            "[tokenizer] the end of texts is \"<end>\", expected one of the special tokens");
  EXPECT_NE(message_of([] {
              train_tokenizer({"a"}, {.kind = TokenizerKind::words, .prefix_space = true});
            }).find("for byte pairs, not for words"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
