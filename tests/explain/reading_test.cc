#include "fovea/reading.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/examples.h"

namespace fovea {
namespace {

const RenderOptions kChinese{.language = Language::chinese};

TEST(Reading, in_order_with_checked_sums) {
  const Reading reading{{{0.4243, 0.5757}, {0, 0}, {0.5, 0.25}}, {"我", "喜欢", "AI"}, {"a", "bc"}};
  EXPECT_EQ(read_in_order(reading),
            "我 looks at\n"
            "  a    0.4243 (42.4%)\n"
            "  bc   0.5757 (57.6%)\n"
            "  sum  1.0000 ✓\n"
            "\n"
            "喜欢 looks at\n"
            "  (sees nothing)\n"
            "\n"
            "AI looks at\n"
            "  a    0.5000 (50.0%)\n"
            "  bc   0.2500 (25.0%)\n"
            "  sum  0.7500 ✗ not 1\n"
            "\n"
            "1 of 3 rows sum to 1, 1 sees nothing.\n");
  EXPECT_NE(read_in_order(reading, kChinese).find("3 行中有 1 行总和为 1，1 行什么也看不到。\n"),
            std::string::npos);
  EXPECT_NE(read_in_order({{{1}}, {"a"}}).find("\n1 of 1 rows sum to 1.\n"), std::string::npos);
  EXPECT_NE(read_in_order(reading, kChinese).find("合计  1.0000 ✓"), std::string::npos);
}

TEST(Reading, sorted_with_bars_of_forty) {
  EXPECT_EQ(read_sorted({{{0.12, 0.5, 0.38}}, {"q"}, {"a", "喜欢", "c"}}),
            "q looks at\n"
            "  喜欢  0.500  ████████████████████\n"
            "  c     0.380  ███████████████\n"
            "  a     0.120  ████\n");
  EXPECT_EQ(read_sorted({{{0, 1, 0.02}}, {"q"}, {"a", "b", "c"}}, kChinese),
            "q 关注：\n"
            "  b  1.000  ████████████████████████████████████████\n"
            "  c  0.020\n"
            "  a  0.000\n");
}

TEST(Reading, top_three_are_marked) {
  const std::string text = read_top(reading_of(example("words-1").account));
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "我 looks at\n"
            "  🎯 我    0.2408 (24.1%)\n"
            "  👀 学习  0.2083 (20.8%)\n"
            "  📌 AI    0.1903 (19.0%)");
  EXPECT_NE(text.find("🎯 most attention   👀 second   📌 third\n"), std::string::npos);
  EXPECT_NE(read_top({{{0, 0}}, {"x"}, {"a", "b"}}, kChinese).find("什么也看不到"), std::string::npos);
}

TEST(Reading, equal_weights_stay_in_token_order) {
  const std::string text = read_top({{{0.25, 0.25, 0.25, 0.25}}, {"x"}, {"a", "b", "c", "d"}});
  EXPECT_LT(text.find("🎯 a"), text.find("👀 b"));
  EXPECT_LT(text.find("👀 b"), text.find("📌 c"));
}

TEST(Reading, wrong_names_or_weights_throw) {
  EXPECT_THROW(read_in_order({{{1, 0}}, {"a"}}), Error);  // one key name for two columns
  EXPECT_THROW(read_sorted({{{1}}, {"a", "b"}, {"a"}}), Error);
  EXPECT_THROW(read_top({{{std::nan("")}}, {"a"}}), Error);
  EXPECT_THROW(read_top({{{-0.5}}, {"a"}}), Error);
}

TEST(CompareHeads, side_by_side_and_what_each_looks_at) {
  const Matrix one{{0.9, 0.1}, {0.2, 0.8}}, two{{0.3, 0.7}, {0, 0}};
  EXPECT_EQ(compare_heads({one, two}, {"我", "喜欢"}),
            "Head 1                Head 2             \n"
            "         我  喜欢              我  喜欢  \n"
            "     ┌            ┐        ┌            ┐\n"
            "我   │  0.9   0.1 │   我   │  0.3   0.7 │\n"
            "喜欢 │  0.2   0.8 │   喜欢 │  0.0   0.0 │\n"
            "     └            ┘        └            ┘\n"
            "\n"
            "What each head looks at most\n"
            "\n"
            "token      Head 1      Head 2\n"
            "─────────────────────────────\n"
            "我       我 90.0%  喜欢 70.0%\n"
            "喜欢   喜欢 80.0%           –\n");
  EXPECT_NE(compare_heads(example("deep-ml-multi-head").account, kChinese).find("头 2"), std::string::npos);
}

TEST(CompareHeads, many_heads_go_into_several_bands) {
  const std::vector<Matrix> heads(12, Matrix{{0.123456, 0.876544}, {0.5, 0.5}});
  const std::string text = compare_heads(heads, {"a", "b"}, {}, {.width = 60});
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(display_width(text.substr(begin, end - begin)), 60);
    begin = end + 1;
  }
  EXPECT_NE(text.find("Head 12"), std::string::npos);
}

TEST(CompareHeads, shapes_must_fit) {
  EXPECT_THROW(compare_heads({}, {"a"}), Error);
  EXPECT_THROW(compare_heads({Matrix(2, 2), Matrix(2, 3)}, {"a", "b"}), Error);
}

}  // namespace
}  // namespace fovea
