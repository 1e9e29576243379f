// What a vocabulary does not know is told, and counted in characters as people count them.
#include "text/steps/text_characters.h"
#include "tokenizer_testing.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using testing::data_path;
using testing::SmallTokenizer;

// [CLS] A [SEP] B [SEP], as BERT.
Tokenizer few_words() {
  SmallTokenizer parts;
  parts.model = R"({"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": 100,
      "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "the": 4, "##s": 5, "cat": 6, "e": 7}})";
  parts.normalizer = R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
      "strip_accents": null, "lowercase": true})";
  parts.pre_tokenizer = R"({"type": "BertPreTokenizer"})";
  parts.post_processor = R"({"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]})";
  parts.added_tokens = R"([{"id": 1, "content": "[UNK]", "special": true, "normalized": false}])";
  return parts.make();
}

std::vector<std::string> written(const Encoding& encoding) {
  std::vector<std::string> all;
  for (const UnknownToken& token : encoding.unknown) all.push_back(token.written);
  return all;
}

std::vector<Index> places_of(const Encoding& encoding) {
  std::vector<Index> all;
  for (const UnknownToken& token : encoding.unknown) all.push_back(token.place);
  return all;
}

TEST(UnknownTokens, words_of_word_piece_are_unknown_as_a_whole) {
  const Encoding encoding = few_words().encode("The 小明 thex cats");
  EXPECT_EQ(encoding.tokens,
            (std::vector<std::string>{"[CLS]", "the", "[UNK]", "[UNK]", "[UNK]", "cat", "##s", "[SEP]"}));
  EXPECT_EQ(places_of(encoding), (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(written(encoding), (std::vector<std::string>{"小", "明", "thex"}));
  ASSERT_EQ(encoding.texts.size(), 1u);
  EXPECT_EQ(encoding.texts[0], (TextReading{13, 6, 8, 8, "[UNK]"}));
}

// The name of the token is the token, not a word that nobody knows.
TEST(UnknownTokens, a_typed_name_is_not_unknown) {
  const Encoding encoding = few_words().encode("the [UNK] 小");
  EXPECT_EQ(encoding.tokens[2], "[UNK]");
  EXPECT_EQ(places_of(encoding), (std::vector<Index>{3}));
  EXPECT_EQ(encoding.texts[0].unknown_characters, 1);
  EXPECT_EQ(encoding.texts[0].characters, 9);
  // Nor where the tokenizer does not look for special tokens in texts.
  const Tokenizer plain = SmallTokenizer().make();  // the unknown token is ?
  EXPECT_TRUE(plain.encode("?").unknown.empty());
  EXPECT_EQ(written(plain.encode("!")), (std::vector<std::string>{"!"}));
}

TEST(UnknownTokens, neighbours_join_in_unigram) {
  SmallTokenizer parts;
  parts.model = R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -1], ["▁the", -2]]})";
  parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": true})";
  const Encoding encoding = parts.make().encode("the 小明 the");
  EXPECT_EQ(encoding.tokens, (std::vector<std::string>{"▁the", "▁", "<unk>", "▁the"}));
  EXPECT_EQ(places_of(encoding), (std::vector<Index>{2}));
  EXPECT_EQ(written(encoding), (std::vector<std::string>{"小明"}));
  EXPECT_EQ(encoding.texts[0], (TextReading{8, 2, 4, 4, "<unk>"}));
}

TEST(UnknownTokens, byte_pairs_with_and_without_an_unknown_token) {
  const auto with = [](const std::string& settings) {
    SmallTokenizer parts;
    parts.model = R"({"type": "BPE", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "merges": [])" + settings + "}";
    return parts.make().encode("a小明b小");
  };
  const Encoding single = with(R"(, "unk_token": "<unk>")");
  EXPECT_EQ(written(single), (std::vector<std::string>{"小", "明", "小"}));
  const Encoding fused = with(R"(, "unk_token": "<unk>", "fuse_unk": true)");
  EXPECT_EQ(written(fused), (std::vector<std::string>{"小明", "小"}));
  EXPECT_EQ(fused.texts[0], (TextReading{5, 3, 4, 4, "<unk>"}));
  // Without one they are left out: no token tells, the count does.
  const Encoding none = with("");
  EXPECT_EQ(none.tokens, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(none.unknown.empty());
  EXPECT_EQ(none.texts[0], (TextReading{5, 3, 2, 2, ""}));
}

TEST(UnknownTokens, bytes_know_everything) {
  std::vector<std::string> texts = testing::sample_texts();
  texts.push_back("\xFF 小明 👨‍👩‍👧 \u0007");
  for (const char* name : {"roberta.json", "llama3.json", "llama2.json"}) {
    const Tokenizer tokenizer = Tokenizer::load(data_path(name));
    for (const std::string& text : texts) {
      const Encoding encoding = tokenizer.encode(text);
      EXPECT_TRUE(encoding.unknown.empty()) << name << ": " << text;
      EXPECT_EQ(encoding.texts[0].unknown_characters, 0) << name << ": " << text;
    }
  }
}

// Every token that the text made [UNK] or <unk> is listed, and no other.
TEST(UnknownTokens, published_kinds_list_each_of_them) {
  for (const auto& [name, token] : {std::pair("word_piece.json", "[UNK]"), std::pair("t5.json", "<unk>"),
                                    std::pair("spiece.model", "<unk>")}) {
    const Tokenizer tokenizer = Tokenizer::load(data_path(name));
    Index seen = 0;
    for (std::string text : testing::sample_texts()) {
      if (text.find(token) != text.npos) continue;
      text += " \U00013000";  // 𓀀
      const Encoding encoding = tokenizer.encode(text);
      std::vector<Index> want;
      for (Index i = 0; i < encoding.size(); ++i) {
        if (encoding.tokens[static_cast<std::size_t>(i)] == token) want.push_back(i);
      }
      EXPECT_EQ(places_of(encoding), want) << name << ": " << text;
      EXPECT_GT(encoding.texts[0].unknown_characters, 0) << name << ": " << text;
      EXPECT_LE(encoding.texts[0].unknown_characters, encoding.texts[0].characters) << name << ": " << text;
      seen += static_cast<Index>(want.size());
    }
    EXPECT_GT(seen, 10) << name;
  }
}

TEST(UnknownTokens, each_text_of_a_pair_counts_for_itself) {
  const Tokenizer tokenizer = few_words();
  const Encoding pair = tokenizer.encode("the 小", "小明 cat");
  EXPECT_EQ(places_of(pair), (std::vector<Index>{2, 4, 5}));
  ASSERT_EQ(pair.texts.size(), 2u);
  EXPECT_EQ(pair.texts[0], (TextReading{4, 1, 4, 4, "[UNK]"}));  // [CLS] the 小 [SEP]
  EXPECT_EQ(pair.texts[1], (TextReading{5, 2, 4, 4, "[UNK]"}));
  EXPECT_EQ(pair.texts[0].tokens_read + pair.texts[1].tokens_read, pair.size());
  EXPECT_EQ(tokenizer.encode("the", "cat", {.add_special_tokens = false}).texts[1].tokens, 1);
}

TEST(UnknownTokens, what_was_cut_counts_as_text_but_not_as_read) {
  const Tokenizer tokenizer = few_words();
  const Encoding cut = tokenizer.encode("the 小 the 明 cat", {.max_length = 4});
  EXPECT_EQ(cut.tokens, (std::vector<std::string>{"[CLS]", "the", "[UNK]", "[SEP]"}));
  EXPECT_EQ(cut.texts[0], (TextReading{11, 2, 7, 4, "[UNK]"}));
  EXPECT_EQ(cut.texts[0].tokens - cut.texts[0].tokens_read, cut.cut);
  EXPECT_EQ(written(cut), (std::vector<std::string>{"小"}));
  const Encoding pair = tokenizer.encode("the the the the", "cat", {.max_length = 6});
  EXPECT_EQ(pair.texts[0].tokens_read, 4);
  EXPECT_EQ(pair.texts[0].tokens, 6);
  EXPECT_EQ(pair.texts[1].tokens_read, 2);
  EXPECT_EQ(pair.texts[1].tokens, 2);
}

TEST(UnknownTokens, pads_on_the_left_move_them) {
  const Tokenizer tokenizer = few_words();
  EXPECT_EQ(places_of(tokenizer.encode("小", {.pad_to = 6, .pad_side = Side::left})),
            (std::vector<Index>{4}));
  EXPECT_EQ(places_of(tokenizer.encode("小", {.pad_to = 6})), (std::vector<Index>{1}));
  EXPECT_EQ(tokenizer.encode("小", {.pad_to = 6}).texts[0].tokens, 3);
}

TEST(UnknownTokens, what_is_not_utf8_is_written_as_replacement_characters) {
  const Encoding encoding = Tokenizer::load(data_path("t5.json")).encode("the \xFF\xFE");
  EXPECT_EQ(encoding.unknown.size(), 1u);
  for (const UnknownToken& token : encoding.unknown) EXPECT_EQ(token.written, "\uFFFD\uFFFD");
}

Index characters_in(std::string_view text) { return count_characters(text, {}).all; }

TEST(TextCharacters, as_people_count_them) {
  EXPECT_EQ(characters_in(""), 0);
  EXPECT_EQ(characters_in("The cat.\r\n"), 7);
  EXPECT_EQ(characters_in("小明 和 小红"), 5);
  EXPECT_EQ(characters_in("é"), 1);
  EXPECT_EQ(characters_in("e\u0301x"), 2);
  EXPECT_EQ(characters_in("👨\u200D👩\u200D👧"), 1);
  EXPECT_EQ(characters_in("❤\uFE0F🇨🇳"), 2);
  EXPECT_EQ(characters_in(" \t\u00A0\u3000\u200B\u200E\u0007"), 0);
  EXPECT_EQ(characters_in("\u0301"), 1);
}

TEST(TextCharacters, one_unknown_code_point_is_enough) {
  const std::string text = "ae\u0301b 小明";  // bytes: a 0, e 1, ´ 2–4, b 4, space 5, 小 6–9, 明 9–12
  const auto unknown = [&](const std::vector<ByteSpan>& spans) {
    return count_characters(text, spans).unknown;
  };
  EXPECT_EQ(unknown({}), 0);
  EXPECT_EQ(unknown({{2, 4}}), 1);
  EXPECT_EQ(unknown({{1, 2}, {2, 4}}), 1);
  EXPECT_EQ(unknown({{5, 6}}), 0);
  EXPECT_EQ(unknown({{9, 12}, {0, 1}, {6, 12}}), 3);
  EXPECT_EQ(unknown({{0, 12}, {2, 4}, {6, 9}}), 5);
}

}  // namespace
}  // namespace fovea
