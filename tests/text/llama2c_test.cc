// tokenizer.bin: a small one made here, and the real one of TinyStories 260K where it is at hand.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>

#include "fovea/file.h"
#include "fovea/tokenizer.h"
#include "io/little_endian.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

using Strings = std::vector<std::string>;

std::string small_file(const std::vector<std::pair<std::string, float>>& tokens) {
  std::string bytes;
  append_little_endian<std::uint32_t>(bytes, 7);
  const auto add = [&](const std::string& token, float score) {
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(score));
    append_little_endian(bytes, static_cast<std::uint32_t>(token.size()));
    bytes += token;
  };
  for (const char* name : {"<unk>", "\n<s>\n", "\n</s>\n"}) add(name, 0);
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    add(name, 0);
  }
  for (const auto& [token, score] : tokens) add(token, score);
  return bytes;
}

TEST(Llama2c, the_highest_score_merges_first) {
  const Tokenizer tokenizer = Tokenizer::from_llama2c(
      small_file({{" ", -9}, {"a", -8}, {"b", -7}, {"ab", -2}, {" a", -3}, {"ba", -1}, {"aba", -4}}));
  // " abab": ba (-1) comes first, then " a" (-3) before aba (-4)
  EXPECT_EQ(tokenizer.encode("abab").tokens, (Strings{"<s>", " a", "ba", "b"}));
  EXPECT_EQ(tokenizer.encode("ab").tokens, (Strings{"<s>", " ", "ab"}));
  EXPECT_EQ(tokenizer.encode("").tokens, (Strings{"<s>"}));
  EXPECT_EQ(tokenizer.encode("é").tokens, (Strings{"<s>", " ", "<0xC3>", "<0xA9>"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ab é").ids), "ab é");
  EXPECT_EQ(tokenizer.encode("<s>").ids.front(), 1);
  EXPECT_EQ(tokenizer.encode("<s>").size(), 5);  // what is typed is text
}

// Ids that llama2.c's own program gives for this prompt.
TEST(Llama2c, tiny_stories) {
  const std::string folder = testing::shared_data("stories260K");
  if (folder.empty()) GTEST_SKIP() << testing::needs_shared_data("stories260K");
  const Tokenizer tokenizer = Tokenizer::load(folder + "/tokenizer.bin");
  EXPECT_EQ(tokenizer.size(), 512);
  const Encoding encoding = tokenizer.encode("Once upon a time");
  EXPECT_EQ(encoding.ids, (std::vector<Index>{1, 403, 407, 261, 378}));
  EXPECT_EQ(tokenizer.decode(encoding.ids), "Once upon a time");
}

}  // namespace
}  // namespace fovea
