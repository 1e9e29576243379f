// Options of an encoding: special tokens, cutting, padding; and texts that are hard to encode.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "support/message_of.h"
#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::data_path;
using testing::message_of;

const Tokenizer& bert() {
  static const Tokenizer tokenizer = Tokenizer::load(data_path("word_piece.json"));
  return tokenizer;
}

const Tokenizer& roberta() {
  static const Tokenizer tokenizer = Tokenizer::load(data_path("roberta.json"));
  return tokenizer;
}

std::string text_at(std::string_view text, const TextSpan& span) {
  return std::string(
      text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin)));
}

TEST(Encoding, a_pair_with_special_tokens) {
  const Encoding encoding = bert().encode("the a", "the");
  EXPECT_EQ(encoding.tokens, (std::vector<std::string>{"[CLS]", "the", "a", "[SEP]", "the", "[SEP]"}));
  EXPECT_EQ(encoding.type_ids, (std::vector<Index>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(encoding.text_ids, (std::vector<Index>{-1, 0, 0, -1, 1, -1}));
  EXPECT_EQ(encoding.word_ids, (std::vector<Index>{-1, 0, 1, -1, 0, -1}));
  EXPECT_EQ(encoding.special_mask, (std::vector<std::uint8_t>{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(encoding.bytes[2], (TextSpan{4, 5}));
  EXPECT_EQ(bert().encode("the a", "the", {.add_special_tokens = false}).size(), 3);
}

TEST(Encoding, cut_to_a_length) {
  const auto size = [](const char* text, Index max_length) {
    return bert().encode(text, {.max_length = max_length}).size();
  };
  EXPECT_EQ(size("the the the the", 6), 6);
  EXPECT_EQ(size("the the the the", 5), 5);
  EXPECT_EQ(size("the the the the", 2), 2);
  EXPECT_EQ(bert().encode("the the the the", {.max_length = 3}).cut, 3);
  const Encoding left = bert().encode("a b c d", {.max_length = 4, .cut_side = Side::left});
  EXPECT_EQ(left.tokens, (std::vector<std::string>{"[CLS]", "c", "d", "[SEP]"}));
  EXPECT_EQ(message_of([] { bert().encode("a", {.max_length = 1}); }),
            "[tokenizer] max_length is 1, but 2 special tokens are added");
}

TEST(Encoding, longest_first_cuts_the_longer_text) {
  const auto lengths = [](int first, int second, Index max_length) {
    std::string one, two;
    for (int i = 0; i < first; ++i) one += "a ";
    for (int i = 0; i < second; ++i) two += "a ";
    const Encoding encoding =
        bert().encode(one, two, {.add_special_tokens = false, .max_length = max_length});
    const auto seconds = std::accumulate(encoding.type_ids.begin(), encoding.type_ids.end(), Index{0});
    return std::pair(encoding.size() - seconds, seconds);
  };
  EXPECT_EQ(lengths(3, 10, 8), std::pair(Index{3}, Index{5}));
  EXPECT_EQ(lengths(10, 3, 8), std::pair(Index{5}, Index{3}));
  EXPECT_EQ(lengths(10, 12, 9), std::pair(Index{4}, Index{5}));
  EXPECT_EQ(lengths(12, 10, 9), std::pair(Index{5}, Index{4}));
  EXPECT_EQ(lengths(10, 10, 9), std::pair(Index{4}, Index{5}));
  EXPECT_EQ(lengths(0, 10, 4), std::pair(Index{0}, Index{4}));
}

TEST(Encoding, only_one_text_is_cut) {
  const EncodeOptions first{.max_length = 6, .truncation = Truncation::only_first};
  EXPECT_EQ(bert().encode("a b c d", "a b", first).tokens,
            (std::vector<std::string>{"[CLS]", "a", "[SEP]", "a", "b", "[SEP]"}));
  EXPECT_EQ(message_of([&] { bert().encode("a", "a b c d", first); }),
            "[tokenizer] the first text has 1 tokens, but 2 would have to be removed");
  EXPECT_EQ(
      message_of([] { bert().encode("a b c", {.max_length = 3, .truncation = Truncation::only_second}); }),
      "[tokenizer] cannot truncate the second text: there is only one text");
}

TEST(Encoding, batches_are_padded_to_the_longest) {
  const std::vector<Encoding> batch = bert().encode_batch({"a b c", "a", ""});
  for (const Encoding& encoding : batch) EXPECT_EQ(encoding.size(), 5);
  EXPECT_EQ(batch[1].tokens, (std::vector<std::string>{"[CLS]", "a", "[SEP]", "[PAD]", "[PAD]"}));
  EXPECT_EQ(batch[1].attention_mask, (std::vector<std::uint8_t>{1, 1, 1, 0, 0}));
  EXPECT_EQ(batch[1].special_mask, (std::vector<std::uint8_t>{1, 0, 1, 1, 1}));
  EXPECT_EQ(batch[1].word_ids, (std::vector<Index>{-1, 0, -1, -1, -1}));
  const Encoding left = bert().encode("a", {.pad_to = 5, .pad_side = Side::left, .pad_id = 1});
  EXPECT_EQ(left.ids.front(), 1);
  EXPECT_EQ(left.tokens.back(), "[SEP]");
  EXPECT_EQ(bert().encode_batch({"a", "b"}, {"a b", "b"}, {.pad_to = 9})[1].size(), 9);
  EXPECT_TRUE(bert().encode_batch({}).empty());
  EXPECT_EQ(message_of([] {
              bert().encode_batch({"a", "b"}, {"a"});
            }),
            "[tokenizer] got 2 texts and 1 second texts, expected as many of both");
}

TEST(Encoding, settings_of_the_file_are_ignored) {
  Json json = testing::data_json("word_piece.json");
  json["truncation"] = Json::parse(R"({"max_length": 3, "strategy": "LongestFirst", "stride": 0})");
  json["padding"] = Json::parse(R"({"strategy": {"Fixed": 9}})");
  EXPECT_EQ(Tokenizer::from_json(json.dump()).encode("a b c").size(), 5);
}

// Each truncated sequence or single byte is one character; offsets are those of the bytes that were given.
TEST(Encoding, invalid_utf8_is_read_as_replacement_characters) {
  const std::string text = "a\xFF\xE4\xBD b\xF0\x9F\x98 \xC3\xA9\xED\xA0\x80";
  const Encoding encoding = roberta().encode(text, {.add_special_tokens = false});
  EXPECT_EQ(roberta().decode(encoding.ids), "a\uFFFD\uFFFD b\uFFFD é\uFFFD\uFFFD\uFFFD");
  std::string whole;
  std::int32_t end = 0, characters = 0;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const TextSpan span = encoding.bytes[i];
    EXPECT_LE(span.begin, span.end);
    EXPECT_LE(span.end, static_cast<std::int32_t>(text.size()));
    end = std::max(end, span.end);
    characters = std::max(characters, encoding.characters[i].end);
  }
  EXPECT_EQ(end, static_cast<std::int32_t>(text.size()));
  EXPECT_EQ(characters, 11);  // a � � space b � space é � � �
  const Encoding words = bert().encode("\xFFthe \xC3 a", {.add_special_tokens = false});
  EXPECT_EQ(words.tokens, (std::vector<std::string>{"the", "a"}));
  EXPECT_EQ(text_at("\xFFthe \xC3 a", words.bytes[0]), "the");
  EXPECT_EQ(words.bytes[1], (TextSpan{7, 8}));
  EXPECT_EQ(words.characters[1], (TextSpan{7, 8}));
}

TEST(Encoding, offsets_survive_normalisation) {
  const std::string text = "  Ça va? 中文 A\u0301B";
  const Encoding encoding = bert().encode(text, {.add_special_tokens = false});
  std::string places;
  for (const TextSpan& span : encoding.bytes) places += text_at(text, span) + "|";
  EXPECT_EQ(places, "Ça|v|a|?|中|文|A|B|");
}

TEST(Encoding, empty_and_blank_texts) {
  EXPECT_EQ(bert().encode("").tokens, (std::vector<std::string>{"[CLS]", "[SEP]"}));
  EXPECT_EQ(bert().encode(" \t\n\u3000").tokens, (std::vector<std::string>{"[CLS]", "[SEP]"}));
  EXPECT_EQ(roberta().encode("", {.add_special_tokens = false}).size(), 0);
  EXPECT_EQ(bert().decode({}), "");
  EXPECT_EQ(bert().encode(std::string_view("a\0b", 3)).size(),
            bert().encode("ab").size());  // a zero is no text
}

TEST(Encoding, a_megabyte_and_a_word_of_a_megabyte) {
  std::string text, word(1 << 20, 'a');
  while (text.size() < (1 << 20)) text += "The quick brown fox, 注意力 and été. ";
  for (const char* name : {"word_piece", "roberta", "llama3", "llama2", "t5", "other_parts"}) {
    const Tokenizer tokenizer = Tokenizer::load(data_path(std::string(name) + ".json"));
    const Encoding encoding = tokenizer.encode(text);
    EXPECT_GT(encoding.size(), 100000) << name;
    EXPECT_EQ(encoding.bytes[static_cast<std::size_t>(encoding.size()) / 2].end >
                  static_cast<std::int32_t>(text.size()) / 3,
              true)
        << name;
    EXPECT_GT(tokenizer.encode(word).size(), 0) << name;
  }
}

TEST(Encoding, unknown_ids_are_left_out_when_decoding) {
  EXPECT_EQ(bert().decode({-1, *bert().token_to_id("the"), 99999999999, Index{1} << 40}), "the");
  EXPECT_EQ(bert().id_to_token(-1), std::nullopt);
  EXPECT_EQ(bert().id_to_token(2), "[CLS]");
  EXPECT_EQ(bert().token_to_id("no such token"), std::nullopt);
  EXPECT_TRUE(bert().is_special(2));
  EXPECT_FALSE(bert().is_special(*bert().token_to_id("the")));
  EXPECT_EQ(bert().pad_id(), 0);
  EXPECT_EQ(bert().decode({2, *bert().token_to_id("the"), 3}, false), "[CLS] the [SEP]");
}

TEST(Encoding, several_threads_get_the_same_ids) {
  const Tokenizer tokenizer = Tokenizer::load(data_path("roberta.json"));  // with nothing learned yet
  const std::vector<std::string> texts = testing::sample_texts();
  std::vector<std::vector<Index>> ids(4);
  std::vector<std::thread> threads;
  for (std::vector<Index>& each : ids) {
    threads.emplace_back([&] {
      for (const std::string& text : texts) {
        const Encoding encoding = tokenizer.encode(text);
        each.insert(each.end(), encoding.ids.begin(), encoding.ids.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Index>& each : ids) EXPECT_EQ(each, ids[0]);
}

}  // namespace
}  // namespace fovea
