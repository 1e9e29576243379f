#include <gtest/gtest.h>

#include "core/text_layout.h"
#include "fovea/render.h"

namespace fovea {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string without_breaks(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? ' ' : c;
  return result;
}

TEST(Wrapped, breaks_at_spaces) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree");
  EXPECT_EQ(wrapped("one two", 100), "one two");
  EXPECT_EQ(wrapped("", 10), "");
}

TEST(Wrapped, words_that_are_too_wide_stay_whole) {
  EXPECT_EQ(wrapped("a transformers b", 5), "a\ntransformers\nb");
}

TEST(Wrapped, the_first_line_begins_where_the_caller_stands) {
  EXPECT_EQ(wrapped("one two three", 9, 2, 5), "one\n  two\n  three");
  EXPECT_EQ(wrapped("one two three", 10, 2, 3), "one two\n  three");
}

TEST(Wrapped, several_spaces_and_newlines_count_as_one_space) {
  EXPECT_EQ(wrapped("one  two\nthree", 100), "one two three");
}

TEST(Wrapped, chinese_breaks_between_characters) {
  EXPECT_EQ(wrapped("我喜欢学习", 6), "我喜欢\n学习");
  EXPECT_EQ(wrapped("学习AI技术", 6), "学习AI\n技术");  // a Latin word stays whole
  EXPECT_EQ(wrapped("学习AI技术", 5), "学习\nAI技\n术");
}

TEST(Wrapped, closing_marks_never_begin_a_line) {
  for (const std::string mark : {"，", "。", "、", "；", "：", "！", "？", "）", "」", "』", "》", "】",
                                 "”",  "’",  "…",  ",",  ".",  ";",  ":",  "!",  "?",  ")",  "]",  "%"}) {
    for (int width = 2; width < 14; ++width) {
      for (const std::string& line : lines_of(wrapped("我喜欢" + mark + "学习" + mark, width))) {
        EXPECT_FALSE(line.starts_with(mark)) << mark << " at width " << width;
      }
    }
  }
}

TEST(Wrapped, opening_marks_never_end_a_line) {
  for (const std::string mark : {"（", "「", "『", "《", "【", "“", "‘", "(", "["}) {
    for (int width = 2; width < 14; ++width) {
      const std::vector<std::string> lines =
          lines_of(wrapped("我喜欢" + mark + "学习" + mark + "人", width));
      for (const std::string& line : lines)
        EXPECT_FALSE(line.ends_with(mark)) << mark << " at width " << width;
    }
  }
}

TEST(Wrapped, names_in_quotes_and_brackets_stay_whole) {
  EXPECT_EQ(wrapped("词是“喜欢”吗", 7), "词是\n“喜欢”\n吗");
  EXPECT_EQ(wrapped("看看v(喜欢)吧", 8), "看看\nv(喜欢)\n吧");
  EXPECT_EQ(wrapped("用法[选项]", 8), "用法\n[选项]");
}

TEST(Wrapped, short_words_between_spaces_stay_whole_in_wide_lines) {
  EXPECT_EQ(wrapped("known are: 我, 喜欢, 学习, AI, 技术, 编程, 很, 有趣, 未来", 50),
            "known are: 我, 喜欢, 学习, AI, 技术, 编程, 很,\n有趣, 未来");
  EXPECT_EQ(wrapped("known are 有趣", 12), "known are 有\n趣");
}

TEST(Wrapped, endings_of_file_names_may_begin_a_line) {
  EXPECT_EQ(wrapped("文件：.npy、.npz", 8), "文件：\n.npy、\n.npz");
  EXPECT_EQ(wrapped("我喜欢.", 6), "我喜\n欢.");
}

// The command's help and the library's accounts set their lines by the same rules.
TEST(Wrapped, whole_lines_are_the_same_lines) {
  const std::string text =
      "每个词是人为设定的四个数；Q = K = V = X。方向相近、长度较大的词（“喜欢”）得到更多注意力。";
  for (int width = 10; width < 60; ++width) {
    EXPECT_EQ(wrap(text, width, 4), "    " + wrapped(text, width, 4, 4) + "\n");
    for (const std::string& line : lines_of(wrapped(text, width))) {
      EXPECT_LE(display_width(line), std::max(width, 12)) << line;
    }
  }
  EXPECT_EQ(wrap("", 10, 4), "");
}

TEST(Wrapped, nothing_is_lost) {
  const std::string text = "softmax turns scores into weights (they sum to 1), and weights mix the values";
  for (int width = 1; width < 90; ++width) EXPECT_EQ(without_breaks(wrapped(text, width)), text);
}

}  // namespace
}  // namespace fovea
