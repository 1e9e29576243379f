// fovea tokens, with the small tokenizers of tests/data/tokenizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_command.h"

namespace fovea {
namespace {

using nlohmann::json;

const std::string kBert = std::string(FOVEA_TEST_DATA) + "/tokenizers/word_piece.json";

TEST(Tokens, a_table_of_tokens_and_places) {
  const CommandResult result = run_fovea({"tokens", "--tokenizer", kBert, "The a", "The"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "token")) << result.out;
  EXPECT_TRUE(contains(result.out, "The")) << result.out;
  EXPECT_TRUE(contains(result.out, "4–5")) << result.out;
  EXPECT_NE(result.out.find("The"), result.out.rfind("The")) << result.out;  // of either text
  EXPECT_TRUE(contains(result.out, "6 tokens\n")) << result.out;
  const CommandResult chinese = run_fovea({"tokens", "--tokenizer", kBert, "a", "--lang", "zh"});
  EXPECT_TRUE(contains(chinese.out, "共 3 个词元")) << chinese.out;
}

TEST(Tokens, one_line_of_json_per_text) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("texts"), std::ios::binary) << "The cat\n\n\x01 \xFF\n";
  const CommandResult result =
      run_fovea({"tokens", "--model", kBert, "--lines", "--json", directory.file("texts")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::vector<json> encodings;
  for (std::string line; std::getline(lines, line);) encodings.push_back(json::parse(line, nullptr, false));
  ASSERT_EQ(encodings.size(), 3U);
  EXPECT_EQ(encodings[0].at("tokens").front(), "[CLS]");
  EXPECT_EQ(encodings[0].at("bytes").at(1), json::parse("[0, 3]"));
  EXPECT_EQ(encodings[0].at("decoded"), "the cat");
  EXPECT_EQ(encodings[1].at("ids").size(), 2U);
}

TEST(Tokens, ids_and_back) {
  const CommandResult ids = run_fovea({"tokens", "--tokenizer", kBert, "--ids", "the the"});
  EXPECT_EQ(ids.exit_code, 0) << ids.err;
  const CommandResult text = run_fovea({"tokens", "--tokenizer", kBert, "--decode", ids.out});
  EXPECT_EQ(text.out, "the the\n");
  const CommandResult cut =
      run_fovea({"tokens", "--tokenizer", kBert, "--ids", "--max-length", "3", "the the the"});
  EXPECT_EQ(std::count(cut.out.begin(), cut.out.end(), ' '), 2);
}

TEST(Tokens, what_is_wrong_is_said) {
  EXPECT_EQ(run_fovea({"tokens", "text"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"tokens", "--tokenizer", kBert}).exit_code, 2);
  const CommandResult missing = run_fovea({"tokens", "--tokenizer", "no-such-file.json", "text"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.err, "no-such-file.json")) << missing.err;
  const CommandResult words = run_fovea({"tokens", "--tokenizer", kBert, "--decode", "1 two"});
  EXPECT_EQ(words.exit_code, 2);
  EXPECT_TRUE(contains(words.err, "\"two\"")) << words.err;
}

}  // namespace
}  // namespace fovea
