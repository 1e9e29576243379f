// fovea explain and fovea analyze, as people read them.
#include <gtest/gtest.h>

#include "fovea/examples.h"
#include "fovea/named_tensors.h"
#include "fovea/npy.h"
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
    EXPECT_FALSE(output_of({"explain", "--example", id}).empty());
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

TEST(Analyze, table_with_the_words) {
  const TemporaryDirectory directory;
  NamedArrays arrays;
  arrays.add("weights", Tensor::from({{{1, 0}, {0.5, 0.5}}, {{0.25, 0.75}, {0, 1}}}));
  arrays.add("other", Tensor({3}));
  save_arrays(directory.file("w.npz"), arrays);
  const std::string out = output_of({"analyze", directory.file("w.npz"), "--tokens", "你 好"});
  EXPECT_TRUE(contains(out, "你")) << out;
  EXPECT_TRUE(contains(out, "0.3466")) << out;  // ln 2 / 2: the rows of the first head have 0 and ln 2
  EXPECT_TRUE(contains(out, "0.2812")) << out;  // those of the second 0.5623, of (0.25, 0.75), and 0
  EXPECT_TRUE(contains(out, "0.6616")) << out;  // the mean of both heads, (0.625, 0.375)
}

TEST(Analyze, key_and_errors) {
  const TemporaryDirectory directory;
  NamedArrays arrays;
  arrays.add("a", Tensor::from({{1, 0}, {0.5, 0.5}}));
  arrays.add("b", Tensor::from({{1, 0}, {-0.5, 1.5}}));
  arrays.add("c", Tensor({2}));
  save_arrays(directory.file("w.safetensors"), arrays);
  const std::string file = directory.file("w.safetensors");
  EXPECT_EQ(run_fovea({"analyze", file, "--key", "a"}).exit_code, 0);
  EXPECT_TRUE(contains(run_fovea({"analyze", file}).err, "no array \"weights\"; there is a, b, c"));
  for (const char* key : {"b", "c", "d"})
    EXPECT_EQ(run_fovea({"analyze", file, "--key", key}).exit_code, 1) << key;
}

TEST(Analyze, names_that_do_not_fit) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0, 0}, {0.5, 0.5, 0}}));
  const CommandResult tokens = run_fovea({"analyze", directory.file("w.npy"), "--tokens", "a"});
  EXPECT_EQ(tokens.exit_code, 1);
  EXPECT_EQ(tokens.err, "fovea: [analyze] --tokens: got 1 name, expected 2, one per query\n");
  const CommandResult memory = run_fovea({"analyze", directory.file("w.npy"), "--memory", "a b"});
  EXPECT_EQ(memory.err, "fovea: [analyze] --memory: got 2 names, expected 3, one per key\n");
}

TEST(Analyze, mask_tells_which_keys_count) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0, 0}, {0.5, 0.5, 0}, {0.2f, 0.3f, 0.5f}}));
  const std::string plain = output_of({"analyze", directory.file("w.npy")});
  const std::string masked = output_of({"analyze", directory.file("w.npy"), "--mask", "causal"});
  EXPECT_TRUE(contains(plain, "0.6309")) << plain;  // ln 2 / ln 3
  EXPECT_FALSE(contains(masked, "0.6309")) << masked;
}

}  // namespace
}  // namespace fovea
