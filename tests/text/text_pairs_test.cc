#include "fovea/text_pairs.h"

#include <gtest/gtest.h>

#include <set>

#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

TEST(TextPairs, broken_lines_are_told_by_their_numbers) {
  const TextPairs read = parse_text_pairs(
      "Hi.\t嗨。\r\nno tab\n\n  Run. \t 跑。\tsomebody\n\tnothing before\nnothing after\t\n\xff\tx");
  const std::vector<TextPair> pairs = {{"Hi.", "嗨。"}, {"Run.", "跑。"}};
  EXPECT_EQ(read.pairs, pairs);
  EXPECT_EQ(read.broken, (std::vector<Index>{2, 5, 6, 7}));
}

// Sides as a reader would compare them.
std::string bare(const std::string& text) {
  std::string bare;
  for (const char c : text) {
    if (c != '.' && c != '!') bare += c;
  }
  return bare;
}

TEST(TextPairs, held_out_pairs_share_no_side) {
  std::vector<TextPair> pairs;
  for (int i = 0; i < 300; ++i) {  // sources twice, every third target twice, with other marks
    const std::string number = std::to_string(i);
    pairs.push_back({"source " + number + ".", "target " + number});
    pairs.push_back({"source " + number + "!", "other target " + std::to_string(i / 3)});
  }
  const PairParts parts = split_pairs(pairs, 40, 7);
  EXPECT_GE(parts.development.size(), 40u);
  EXPECT_GE(parts.test.size(), 40u);
  EXPECT_LE(parts.test.size(), 48u);
  EXPECT_EQ(parts.learned.size() + parts.development.size() + parts.test.size(), pairs.size());
  std::set<std::string> sides;
  const auto add = [&](const std::vector<TextPair>& part) {
    std::set<std::string> own;
    for (const TextPair& pair : part) own.insert({bare(pair.source), bare(pair.target)});
    for (const std::string& side : own) EXPECT_TRUE(sides.insert(side).second) << side;
  };
  add(parts.learned);
  add(parts.development);
  add(parts.test);
  EXPECT_EQ(split_pairs(pairs, 40, 7).test, parts.test);
  EXPECT_NE(split_pairs(pairs, 40, 8).test, parts.test);
}

TEST(TextPairs, too_few_are_an_error) {
  const std::vector<TextPair> pairs = {{"a", "b"}, {"c", "d"}};
  EXPECT_NE(message_of([&] { split_pairs(pairs, 1, 0); }).find("2 pairs are too few"), std::string::npos);
}

}  // namespace
}  // namespace fovea
