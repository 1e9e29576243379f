// fovea explain, as people read it.
#include <gtest/gtest.h>

#include "fovea/examples.h"
#include "run_command.h"

namespace fovea {
namespace {

std::string output_of(const std::vector<std::string>& arguments) {
  const CommandResult result = run_fovea(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(ExplainCommand, shows_every_matrix_and_then_the_reading) {
  const std::string out = output_of({"explain"});
  for (const char* part : {"W_q", "W_k", "W_v", "Q = X·W_q", "S = Q·Kᵀ", "A = softmax", "O = A·V", "0.8672",
                           "0.5262 (52.6%)", "█████", "🎯"}) {
    EXPECT_TRUE(contains(out, part)) << part;
  }
  EXPECT_LT(out.find("O = A·V"), out.find("52.6%)\n"));
}

TEST(ExplainCommand, typed_sentence_is_the_example) {
  EXPECT_EQ(output_of({"explain", "I love AI"}), output_of({"explain"}));
  EXPECT_EQ(output_of({"explain", "I", "love", "AI"}), output_of({"explain"}));
}

TEST(ExplainCommand, sentence_of_word_vectors) {
  const std::string out = output_of({"explain", "我 喜欢 学习 AI 技术"});
  EXPECT_TRUE(contains(out, "0.2408  0.1731  0.2083  0.1903  0.1875")) << out;
}

TEST(ExplainCommand, every_example) {
  const std::string list = output_of({"explain", "--list"});
  for (const std::string& id : example_ids()) {
    EXPECT_TRUE(contains(list, "\n  " + id + " ")) << id;
    const std::string out = output_of({"explain", "--example", id});
    EXPECT_TRUE(contains(out, example(id).title.en)) << id;
    EXPECT_TRUE(contains(out, "softmax")) << id;
  }
  EXPECT_TRUE(
      contains(output_of({"explain", "--example", "qkv", "--digits", "8"}), "16.04448371  3.95551629"));
}

TEST(ExplainCommand, mask_applies_to_an_example_of_bare_keys) {
  const std::string out = output_of({"explain", "--example", "qkv", "--mask", "lengths(2)"});
  EXPECT_TRUE(contains(out, "0.6698  0.3302  0.0000")) << out;
}

TEST(ExplainCommand, several_heads_side_by_side) {
  const std::string out = output_of({"explain", "我 喜欢 AI", "--heads", "2"});
  EXPECT_TRUE(contains(out, "Head 1")) << out;
  EXPECT_TRUE(contains(out, "Head 2")) << out;
}

TEST(ExplainCommand, reading_can_be_chosen) {
  EXPECT_FALSE(contains(output_of({"explain", "--reading", "none"}), "🎯"));
  EXPECT_TRUE(contains(output_of({"explain", "--reading", "top"}), "🎯"));
  EXPECT_FALSE(contains(output_of({"explain", "--reading", "top"}), "█"));
}

TEST(ExplainCommand, reading_of_each_head) {
  for (const auto& [reading, sign] : {std::pair("order", "%)"), {"bars", "█"}, {"top", "🎯"}}) {
    const std::string out = output_of({"explain", "我 喜欢 AI", "--heads", "2", "--reading", reading});
    const std::size_t first = out.find("━━ Head 1 · "), second = out.find("━━ Head 2 · ");
    ASSERT_NE(first, std::string::npos) << out;
    ASSERT_NE(second, std::string::npos) << out;
    const std::string one = out.substr(first, second - first), two = out.substr(second);
    EXPECT_TRUE(contains(one, sign)) << reading;
    EXPECT_TRUE(contains(two, sign)) << reading;
    EXPECT_NE(one.substr(one.find('\n')), two.substr(two.find('\n'))) << "both of the same head";
    EXPECT_FALSE(contains(out, "The heads side by side")) << reading;
  }
}

TEST(ExplainCommand, list_of_another_vocabulary_shows_no_sentence_that_fails) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("words.txt")) << "up 1 0\ndown 0 1\n";
  const std::string out = output_of({"explain", "--list", "--words", directory.file("words.txt")});
  EXPECT_TRUE(contains(out, "\n  down  [0, 1]\n")) << out;
  EXPECT_FALSE(contains(out, "explain \"我")) << out;
}

TEST(ExplainCommand, empty_sentence_is_no_sentence) {
  const CommandResult empty = run_fovea({"explain", ""});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_EQ(empty.err, run_fovea({"explain", " "}).err);
}

TEST(ExplainCommand, vocabulary_from_a_file) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("words.txt")) << "# two words\nup 1 0\ndown 0 1\n";
  const std::string out = output_of({"explain", "up down", "--words", directory.file("words.txt")});
  EXPECT_TRUE(contains(out, "0.6698  0.3302")) << out;
}

TEST(ExplainCommand, markdown) {
  const std::string out = output_of({"explain", "--markdown"});
  EXPECT_TRUE(out.starts_with("# ")) << out;
  EXPECT_TRUE(contains(out, "\n|")) << out;
  EXPECT_TRUE(contains(out, "\n```text\n")) << out;
}

TEST(ExplainCommand, chinese) {
  const std::string out = output_of({"explain", "--lang", "zh"});
  EXPECT_TRUE(contains(out, "注意力权重")) << out;
  EXPECT_FALSE(contains(out, "looks at")) << out;
}

}  // namespace
}  // namespace fovea
