#include "fovea/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

TEST(WordVectors, builtin_vocabulary) {
  const WordVectors words = WordVectors::builtin();
  EXPECT_EQ(words.size(), 11);
  EXPECT_EQ(words.width(), 4);
  EXPECT_EQ(words.vector("未来"), (std::vector<double>{.8, .6, .7, .9}));
  EXPECT_EQ(words.words().front(), "我");
  for (const std::string& sentence : word_sentences()) EXPECT_NO_THROW(words.embed(sentence));
}

TEST(WordVectors, sentence_becomes_a_matrix) {
  const EmbeddedSentence sentence = WordVectors::builtin().embed("  编程 很\t有趣　AI\n");  // U+3000 too
  EXPECT_EQ(sentence.tokens, (std::vector<std::string>{"编程", "很", "有趣", "AI"}));
  EXPECT_EQ(sentence.x.shape(), (Shape{4, 4}));
  EXPECT_EQ(sentence.x.row(1), (std::vector<double>{.4, .6, .3, .5}));
}

TEST(WordVectors, all_unknown_words_are_named) {
  const WordVectors words = WordVectors::builtin();
  EXPECT_EQ(
      message_of([&] { words.embed(unknown_word_sentence()); }),
      "[words] unknown word: 的; the vocabulary is: 我, 喜欢, 学习, AI, 技术, 编程, 很, 有趣, 深度, 是, 未来");
  EXPECT_NE(message_of([&] { words.embed("你 我 他 你"); }).find("unknown words: 你, 他; the vocabulary"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { words.embed(" \n"); }), "[words] the sentence has no words");
}

TEST(WordVectors, can_be_extended) {
  WordVectors words = WordVectors::builtin();
  words.add("的", {.1, .2, .3, .4});
  EXPECT_EQ(words.embed(unknown_word_sentence()).tokens.size(), 7u);
  EXPECT_EQ(message_of([&] { words.add("的", {1, 2, 3, 4}); }), "[words] 的 appears twice");
  EXPECT_EQ(message_of([&] { words.add("你", {1, 2}); }), "[words] 你 has 2 numbers, 我 has 4");
  EXPECT_NE(message_of([&] { words.add("a b", {1, 2, 3, 4}); }), "");
  EXPECT_NE(message_of([&] { words.add("", {1, 2, 3, 4}); }), "");
  EXPECT_NE(message_of([&] { words.add("x", {1, 2, 3, std::nan("")}); }), "");
  EXPECT_FALSE(words.contains("x"));
}

TEST(WordVectors, text_and_json_say_the_same) {
  const WordVectors text =
      WordVectors::parse("\xEF\xBB\xBF# two words\n猫 1 -0.5e1\r\n\n狗\t+2 3\n", "words.txt");
  const WordVectors json = WordVectors::parse(R"( {"猫": [1, -5], "狗": [2, 3]} )", "words.json");
  EXPECT_EQ(text.vector("猫"), (std::vector<double>{1, -5}));
  for (const char* word : {"猫", "狗"}) EXPECT_EQ(text.vector(word), json.vector(word));
  EXPECT_EQ(text.size(), 2);
  EXPECT_EQ(json.size(), 2);
}

TEST(WordVectors, errors_of_text_name_the_line) {
  const auto parse = [](const char* text) {
    return message_of([&] { WordVectors::parse(text, "w.txt"); });
  };
  EXPECT_EQ(parse("a 1 2\nb 1\n"), "[words] w.txt, line 2: b has 1 numbers, a has 2");
  EXPECT_EQ(parse("a 1 2\n\na 3 4"), "[words] w.txt, line 3: a appears twice");
  EXPECT_EQ(parse("a 1 x2"), "[words] w.txt, line 1: \"x2\" is not a number");
  EXPECT_EQ(parse("# c\na 1 nan"), "[words] w.txt, line 2: a has the value nan, expected finite numbers");
  EXPECT_EQ(parse("a"), "[words] w.txt, line 1: a has no numbers");
  EXPECT_EQ(parse("# nothing\n"), "[words] w.txt: the file has no words");
  EXPECT_NE(parse("a 1e999"), "");
}

TEST(WordVectors, errors_of_json_name_the_line) {
  const auto parse = [](const char* text) {
    return message_of([&] { WordVectors::parse(text, "w.json"); });
  };
  EXPECT_EQ(parse("{\"a\": [1, 2],\n \"b\": [1]}"), "[words] w.json, line 2: b has 1 numbers, a has 2");
  for (const char* bad : {"{\"a\": [1, 2], \"a\": [3, 4]}", "{\"a\": [NaN]}", "{\"a\": \"x\"}",
                          "{\"a\": [\"x\"]}", "{\"a\": [1", "{}", "{\"a b\": [1]}", "{\"a\": []}"}) {
    EXPECT_EQ(parse(bad).rfind("[words] w.json", 0), 0u) << bad << ": " << parse(bad);
  }
}

TEST(WordVectors, loads_a_file) {
  const std::string path = ::testing::TempDir() + "fovea_words_test.txt";
  std::ofstream(path) << "猫 1 2\n";
  EXPECT_EQ(WordVectors::load(path).vector("猫"), (std::vector<double>{1, 2}));
  std::filesystem::remove(path);
  EXPECT_THROW(WordVectors::load(path), Error);
}

}  // namespace
}  // namespace fovea
