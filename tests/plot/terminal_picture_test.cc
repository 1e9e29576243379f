#include "fovea/terminal_picture.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "fovea/colormap.h"
#include "fovea/render.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TerminalHeatmap three_words() {
  TerminalHeatmap h;
  h.values = Tensor::from({{1, 0, 0}, {0.5f, 0.5f, 0}, {0.25f, 0.25f, 0.5f}});
  h.row_labels = h.column_labels = {"我", "喜欢", "AI"};
  return h;
}

int widest(const std::string& text) {
  int width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

TEST(TerminalHeatmap, numbers_and_names_are_aligned) {
  const std::vector<std::string> lines = lines_of(to_terminal(three_words(), {}));
  ASSERT_GE(lines.size(), 6U);
  EXPECT_EQ(lines[1], "  我  ██1.000    0.000    0.000 ");
  EXPECT_EQ(lines[2], "喜欢  ▒▒0.500  ▒▒0.500    0.000 ");
  EXPECT_EQ(lines[3], "  AI  ░░0.250  ░░0.250  ▒▒0.500 ");
  for (int i = 1; i < 4; ++i)
    EXPECT_EQ(display_width(lines[static_cast<std::size_t>(i)]), display_width(lines[0]));
  EXPECT_EQ(lines[5], "0 ▕   ░░░░░░▒▒▒▒▒▒▓▓▓▓▓▓███▏ 1");
}

TEST(TerminalHeatmap, full_colours_are_those_of_the_colormap) {
  TerminalHeatmap h = three_words();
  h.colormap = "YlOrRd";
  const std::string text = to_terminal(h, {.colors = TerminalColors::full, .width = 100});
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    const Color c = Colormap("YlOrRd").color(share);
    const std::string sequence = "\x1b[48;2;" + std::to_string(c.red) + ";" + std::to_string(c.green) +
                                 ";" + std::to_string(c.blue) + "m";
    EXPECT_TRUE(contains(text, sequence)) << share;
  }
}

TEST(TerminalHeatmap, palette_takes_the_nearest_of_256) {
  TerminalHeatmap h = three_words();
  h.colormap = "Greys";  // from white, 231 of the palette, to black, 16
  const std::string text = to_terminal(h, {.colors = TerminalColors::palette, .width = 100});
  EXPECT_TRUE(contains(text, "\x1b[48;5;231m"));
  EXPECT_TRUE(contains(text, "\x1b[48;5;16m"));
  EXPECT_FALSE(contains(text, ";2;"));
}

TEST(TerminalHeatmap, without_colours_there_are_no_escapes) {
  EXPECT_EQ(to_terminal(three_words(), {}).find('\x1b'), std::string::npos);
}

TEST(TerminalHeatmap, hidden_cells_are_dots_and_explained) {
  TerminalHeatmap h = three_words();
  h.hidden = Flags{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  const std::string text = to_terminal(h, {});
  EXPECT_EQ(lines_of(text)[1], "  我  ██1.000     ·        ·    ");
  EXPECT_TRUE(contains(text, "· hidden by the mask"));
  EXPECT_TRUE(contains(to_terminal(h, {.language = Language::chinese}), "· 被掩码隐藏"));
}

TEST(TerminalHeatmap, squares_write_names_downwards) {
  TerminalHeatmap h = three_words();
  h.numbers = false;
  const std::vector<std::string> lines = lines_of(to_terminal(h, {}));
  EXPECT_EQ(lines[0], "       喜A ");
  EXPECT_EQ(lines[1], "     我欢I ");
  EXPECT_EQ(lines[2], "  我 ██    ");
}

TEST(TerminalHeatmap, never_wider_than_the_terminal) {
  for (const Index n : {1, 7, 20, 47, 90, 400, 1000}) {
    for (const TerminalColors colors :
         {TerminalColors::none, TerminalColors::palette, TerminalColors::full}) {
      for (const int width : {40, 80, 100}) {
        TerminalHeatmap h;
        h.values = Tensor::filled({n, n}, 0.5f);
        EXPECT_LE(widest(to_terminal(h, {.colors = colors, .width = width})), width) << n;
      }
    }
  }
}

TEST(TerminalHeatmap, shrinking_takes_means_and_says_so) {
  TerminalHeatmap h;
  h.values = Tensor({152, 152});
  for (Index i = 0; i < 152; ++i) h.values(i, i) = 1;  // blocks of 4 on the diagonal: 4 of 16 are 1
  const std::string text = to_terminal(h, {.colors = TerminalColors::none, .width = 80});
  EXPECT_TRUE(contains(text, "152 × 152 values in 38 × 38 cells, each the mean of 4 × 4"));
  EXPECT_TRUE(contains(text, "▏ 0.25\n"));
}

TEST(TerminalHeatmap, half_blocks_show_two_rows_in_a_line) {
  TerminalHeatmap h;
  h.values = Tensor({60, 60});
  for (Index j = 0; j < 60; ++j) h.values(0, j) = 1;
  const std::vector<std::string> lines =
      lines_of(to_terminal(h, {.colors = TerminalColors::full, .width = 80}));
  const Color high = Colormap("viridis").color(1), low = Colormap("viridis").color(0);
  const auto rgb = [](Color c) {
    return std::to_string(c.red) + ";" + std::to_string(c.green) + ";" + std::to_string(c.blue) + "m";
  };
  EXPECT_TRUE(contains(lines[1], "\x1b[38;2;" + rgb(high) + "\x1b[48;2;" + rgb(low) + "▀"));
  EXPECT_EQ(lines.size(), 1U + 30 + 2);  // positions, rows, an empty line, the scale
}

TEST(TerminalHeatmap, panels_stand_side_by_side) {
  std::vector<TerminalHeatmap> panels(3, three_words());
  for (std::size_t i = 0; i < 3; ++i) panels[i].title = "Head " + std::to_string(i);
  const std::vector<std::string> lines = lines_of(to_terminal(panels, {}));
  EXPECT_EQ(lines[0], "Head 0  Head 1  Head 2");
  EXPECT_EQ(lines[1], "██      ██      ██");
}

TEST(TerminalHeatmap, bad_input_is_named) {
  TerminalHeatmap h = three_words();
  h.row_labels.pop_back();
  EXPECT_TRUE(contains(error_of([&] { to_terminal(h, {}); }), "got 2 row labels, expected 3"));
  h = three_words();
  h.values(1, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(error_of([&] { to_terminal(h, {}); }), "row 1, column 2 is nan"));
  h = three_words();
  h.colormap = "jet";
  EXPECT_TRUE(contains(error_of([&] { to_terminal(h, {}); }), "viridis"));
}

TEST(TerminalHeatmap, control_characters_of_tokens_do_not_reach_the_terminal) {
  TerminalHeatmap h = three_words();
  h.row_labels[0] = "\x1b[31m";
  h.column_labels[1] = "a\nb";
  const std::string text = to_terminal(h, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(text).size(), 6U);
}

TEST(TerminalBars, eighths_of_columns) {
  TerminalBars bars;
  bars.values = {2, 1, 0, 0.03125};
  bars.labels = {"我", "b", "c", "long"};
  const std::vector<std::string> lines = lines_of(to_terminal(bars, {.width = 29}));  // 16 columns for bars
  EXPECT_EQ(
      lines[0], "  我  2.000  " + [] {
        std::string s;
        for (int i = 0; i < 16; ++i) s += "█";
        return s;
      }());
  EXPECT_EQ(lines[1], "   b  1.000  ████████");
  EXPECT_EQ(lines[2], "   c  0.000");
  EXPECT_EQ(lines[3], "long  0.031  ▎");
}

}  // namespace
}  // namespace fovea
