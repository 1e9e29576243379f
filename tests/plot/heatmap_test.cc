#include "fovea/heatmap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fovea/colormap.h"
#include "fovea/random.h"
#include "plot/panel.h"
#include "plot/plot_testing.h"
#include "plot/theme.h"

namespace fovea {
namespace {

constexpr double kPixelsPerPoint = 2;  // 144 dpi

Tensor random_weights(Index n, Index m) {
  Random random(7);
  Tensor weights({n, m});
  for (Index i = 0; i < n * m; ++i) weights.data()[i] = static_cast<float>(random.uniform());
  return weights;
}

// The matrix of a figure with one panel, and a point in one of its cells, away from the number in the
// middle.
scene::Box matrix_of(const Figure& figure) { return shapes<scene::Cells>(figure).front().box; }
scene::Point corner_of_cell(const Figure& figure, Index row, Index column) {
  const scene::Cells cells = shapes<scene::Cells>(figure).front();
  const double width = cells.box.width / static_cast<double>(cells.columns);
  const double height = cells.box.height / static_cast<double>(cells.rows);
  return {cells.box.x + (static_cast<double>(column) + 0.12) * width,
          cells.box.y + (static_cast<double>(row) + 0.12) * height};
}

// share(i, j): where the weight stands between the first and the last colour, computed by the test.
template <typename Share>
void expect_colors(const Figure& figure, Index n, Index m, const char* colormap, const Share& share) {
  const Pixels pixels(to_png(figure, {.dpi = 72 * kPixelsPerPoint}));
  const Colormap colors(colormap);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      EXPECT_EQ(to_hex(pixels.at(corner_of_cell(figure, i, j), kPixelsPerPoint)),
                to_hex(colors.color(share(i, j))))
          << i << ", " << j;
    }
  }
}

TEST(Heatmap, cells_have_the_colours_of_the_table) {
  const Tensor w = Tensor::from({{0.1f, 0.6f, 0.3f}, {0.0f, 1.0f, 0.0f}});
  expect_colors(heatmap(w, {.range = ColorRange::unit()}), 2, 3, "viridis",
                [&](Index i, Index j) { return static_cast<double>(w(i, j)); });
  expect_colors(heatmap(w, {.colormap = "YlOrRd", .range = ColorRange::fixed(0.2, 0.7)}), 2, 3, "YlOrRd",
                [&](Index i, Index j) { return (w(i, j) - 0.2) / 0.5; });
}

TEST(Heatmap, row_maximum_divides_each_row_and_the_bar_says_so) {
  const Tensor w = Tensor::from({{0.1f, 0.4f}, {0.02f, 0.01f}, {0, 0}});
  const Figure figure = heatmap(w, {.range = ColorRange::row_maximum()});
  const double expected[3][2] = {{0.25, 1}, {1, 0.5}, {0, 0}};
  expect_colors(figure, 3, 2, "viridis", [&](Index i, Index j) { return expected[i][j] + 1e-9; });
  EXPECT_TRUE(has_text(figure, "Attention weight / row maximum"));
  const Tensor hidden_maximum = Tensor::from({{0.2f, 0.8f}, {0.5f, 0.5f}});
  const HeatmapOptions causal{.range = ColorRange::row_maximum(), .mask = Mask::causal()};
  EXPECT_FALSE(has_text(heatmap(hidden_maximum, causal), "0.250"));
  const HeatmapOptions chinese{.range = ColorRange::row_maximum(), .language = Language::chinese};
  EXPECT_TRUE(has_text(heatmap(w, chinese), "注意力权重 ÷ 本行最大值"));
}

TEST(Heatmap, data_range_ignores_hidden_cells) {
  const Tensor w = Tensor::from({{0.2f, 9.0f}, {0.4f, 0.6f}});
  const Figure figure = heatmap(w, {.range = ColorRange::data(), .mask = Mask::causal()});
  const Pixels pixels(to_png(figure, {.dpi = 144}));
  const Colormap viridis("viridis");
  EXPECT_EQ(pixels.at(corner_of_cell(figure, 0, 0), 2), viridis.color(0));
  EXPECT_EQ(pixels.at(corner_of_cell(figure, 1, 1), 2), viridis.color(1));
  EXPECT_FALSE(has_text(figure, "9.000"));
}

TEST(Heatmap, logarithm_takes_six_decades_and_leaves_zero_at_the_end) {
  const Tensor w = Tensor::from({{1.0f, 1e-3f}, {1e-9f, 0.0f}});
  const double expected[2][2] = {{1, 0.5}, {0, 0}};
  const Figure figure = heatmap(w, {.range = ColorRange::logarithm()});
  expect_colors(figure, 2, 2, "viridis", [&](Index i, Index j) { return expected[i][j] + 1e-6; });
  EXPECT_TRUE(has_text(figure, "10⁻³"));
}

TEST(Heatmap, equal_values_have_a_range) {
  const Figure figure = heatmap(Tensor::filled({3, 3}, 0.25f));
  expect_colors(figure, 3, 3, "viridis", [](Index, Index) { return 1.0; });
  const auto lowest = [](Index, Index) { return 0.0; };
  expect_colors(heatmap(Tensor({2, 2})), 2, 2, "viridis", lowest);
  expect_colors(heatmap(Tensor::filled({2, 2}, -1.0f)), 2, 2, "viridis", [](Index, Index) { return 0.5; });
  expect_colors(heatmap(Tensor({2, 2}), {.range = ColorRange::logarithm()}), 2, 2, "viridis", lowest);
}

// A hidden cell shows its background and the lines on it; a visible zero shows the first colour.
TEST(Heatmap, hidden_cells_are_hatched_not_zero) {
  const Tensor w = Tensor::from({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Figure figure = heatmap(w, {.mask = Mask::causal(), .values = false, .theme = theme});
    const Pixels pixels(to_png(figure, {.dpi = 144}));
    const ThemeColors& colors = theme_colors(theme);
    const scene::Box box = matrix_of(figure);
    const double cell = box.width / 3;
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        int background = 0, line = 0, zero = 0, all = 0;
        for (double y = 0.1; y < 0.9; y += 0.02) {
          for (double x = 0.1; x < 0.9; x += 0.02, ++all) {
            const Color color = pixels.at(
                {box.x + (static_cast<double>(j) + x) * cell, box.y + (static_cast<double>(i) + y) * cell},
                2);
            background += color == colors.hidden ? 1 : 0;
            zero += color == Colormap("viridis").color(0) ? 1 : 0;
            line +=
                std::abs(color.red - colors.hatch.red) < std::abs(color.red - colors.hidden.red) ? 1 : 0;
          }
        }
        if (j > i) {
          EXPECT_GT(background, all / 4) << i << ", " << j;
          EXPECT_GT(line, all / 20) << i << ", " << j;
          EXPECT_EQ(zero, 0);
        } else {
          EXPECT_EQ(background, 0);
          EXPECT_EQ(zero, i == j ? 0 : all);
        }
      }
    }
    EXPECT_TRUE(has_text(figure, "Hatched: hidden by the mask."));
  }
  EXPECT_FALSE(has_text(heatmap(w), "Hatched: hidden by the mask."));
}

TEST(Heatmap, the_mask_of_the_right_entry_and_head_is_shown) {
  const Flags visible({2, 2, 2, 2}, {1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0});
  const auto hatched = [&](Index batch, Index head) {
    const Figure figure = heatmap(Tensor::filled({2, 2}, 0.5f),
                                  {.mask = Mask::dense(visible), .mask_batch = batch, .mask_head = head});
    std::vector<int> cells;  // 2·row + column of each hatched box
    const scene::Box box = matrix_of(figure);
    for (const scene::Hatch& hatch : shapes<scene::Hatch>(figure)) {
      for (const scene::Box& b : hatch.boxes) {
        cells.push_back(2 * static_cast<int>(b.center().y > box.center().y) +
                        (b.center().x > box.center().x ? 1 : 0));
      }
    }
    return cells;
  };
  EXPECT_EQ(hatched(0, 0), std::vector<int>{});
  EXPECT_EQ(hatched(0, 1), std::vector<int>{0});
  EXPECT_EQ(hatched(1, 0), std::vector<int>{1});
  EXPECT_EQ(hatched(1, 1), std::vector<int>{3});
  EXPECT_TRUE(contains(error_of([&] { hatched(2, 0); }), "the mask has 2 entries, got index 2"));
  const HeatmapOptions padded{.mask = Mask::padding(Ids{{4, 5, 0}, {6, 0, 0}}, 0), .mask_batch = 1};
  EXPECT_EQ(shapes<scene::Hatch>(heatmap(random_weights(3, 3), padded)).front().boxes.size(), 1u);
}

TEST(Heatmap, labels_and_values_are_text_in_svg) {
  const std::vector<std::string> tokens = {"我", "喜欢", "Ġthe", "\xE6", "a<b", "مرحبا", "😀"};
  const Figure figure =
      heatmap(Tensor::filled({7, 7}, 0.125f), {.queries = tokens, .keys = tokens, .title = "T & T"});
  const std::string svg = to_svg(figure);
  for (const char* text :
       {">我<", ">喜欢<", ">␣the<", ">\\xE6<", ">a&lt;b<", ">مرحبا<", ">😀<", ">0.125<", ">Query<", ">Key<",
        ">Attention weight<", ">T &amp; T</text>", "<title>T &amp; T</title>"}) {
    EXPECT_TRUE(contains(svg, text));
  }
  expect_readable(figure);
}

TEST(Heatmap, titles_are_given_left_out_or_in_the_language) {
  const Tensor w = random_weights(4, 4);
  const Figure chinese = heatmap(w, {.language = Language::chinese});
  EXPECT_TRUE(has_text(chinese, "Key（被关注的词）"));
  EXPECT_TRUE(contains(to_svg(chinese), "xml:lang=\"zh\""));
  const Figure given = heatmap(w, {.title = "", .query_title = "q", .key_title = "", .bar_title = "p"});
  EXPECT_TRUE(has_text(given, "q"));
  EXPECT_TRUE(has_text(given, "p"));
  EXPECT_FALSE(has_text(given, "Key"));
  EXPECT_FALSE(has_text(given, "Attention weights"));
  EXPECT_LT(given.height(), chinese.height());
}

TEST(Heatmap, texts_never_overlap_and_stay_on_the_page) {
  const std::vector<std::string> words = {"the", "internationalization_of_everything", "喜欢", "مرحبا", "😀",
                                          "\n"};
  for (const Index n : {1, 3, 21, 64, 100, 257, 600}) {
    for (const Index m : {1, 5, 64, 600}) {
      std::vector<std::string> queries, keys;
      for (Index i = 0; i < n; ++i) queries.push_back(words[static_cast<std::size_t>(i % 6)]);
      for (Index j = 0; j < m; ++j) keys.push_back(words[static_cast<std::size_t>(j % 6)]);
      SCOPED_TRACE(testing::Message() << n << " × " << m);
      const HeatmapOptions labelled{
          .queries = queries, .keys = keys, .mask = Mask::causal(), .values = false};
      expect_readable(heatmap(random_weights(n, m), labelled));
      expect_readable(heatmap(random_weights(n, m), {.values = false}));
    }
  }
}

TEST(Heatmap, turned_labels_may_need_more_room_than_the_other_axis) {
  const HeatmapOptions options{
      .queries = {"a", "b"}, .keys = {"internationalization", "b"}, .query_title = ""};
  expect_readable(heatmap(random_weights(2, 2), options));
}

TEST(Heatmap, labels_are_thinned_evenly) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 300; ++i) tokens.push_back("t" + std::to_string(i));
  const Figure figure = heatmap(random_weights(300, 300),
                                {.queries = tokens, .title = "", .query_title = "", .bar_title = ""});
  std::vector<int> shown;
  for (const std::string& text : texts(figure)) {
    if (text.front() == 't') shown.push_back(std::stoi(text.substr(1)));
  }
  ASSERT_GT(shown.size(), 20u);
  ASSERT_LT(shown.size(), 150u);
  for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_EQ(shown[i], static_cast<int>(i) * shown[1]);
}

TEST(Heatmap, values_are_written_only_where_they_fit) {
  const auto values = [](const Figure& figure) {
    std::size_t count = 0;
    for (const std::string& text : texts(figure))
      count += text.size() == 5 && text.rfind("0.", 0) == 0 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(values(heatmap(random_weights(20, 20), {.bar_title = ""})), 400u);
  EXPECT_EQ(values(heatmap(random_weights(20, 20), {.values = false})), 0u);
  EXPECT_EQ(values(heatmap(random_weights(64, 64))), 0u);
  for (const scene::Label& label : shapes<scene::Label>(heatmap(random_weights(20, 20)))) {
    EXPECT_GE(label.font.size, kSmallestSize);
  }
}

TEST(Heatmap, values_can_be_read_on_every_colour) {
  const auto linear = [](int c) { return std::pow(c / 255.0, 2.2); };
  const auto light = [&](Color c) {
    return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
  };
  for (const std::string& name : Colormap::names()) {
    const Colormap colormap(name);
    for (const Color& color : colormap.table()) {
      const double a = light(color) + 0.05, b = light(readable_ink(color)) + 0.05;
      EXPECT_GT(std::max(a, b) / std::min(a, b), 4.4) << name << " " << to_hex(color);
    }
  }
}

TEST(Heatmap, large_matrices_are_reduced_to_means_and_say_so) {
  const Index n = 1000, m = 700;
  const Tensor w = random_weights(n, m);
  const std::vector<std::string> tokens(static_cast<std::size_t>(n), "token");
  const Figure figure =
      heatmap(w, {.queries = tokens, .range = ColorRange::unit(), .mask = Mask::causal()});
  const scene::Cells cells = shapes<scene::Cells>(figure).front();
  ASSERT_EQ(cells.rows, 512);
  ASSERT_EQ(cells.columns, 512);
  EXPECT_FALSE(has_text(figure, "token"));
  EXPECT_TRUE(has_text(figure, "Each cell is the mean of about 2 × 1 weights (1,000 × 700 in all)."));
  const auto mean = [&](Index r, Index c) {  // of the weights that belong to the cell
    double sum = 0;
    int count = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        if (i * 512 / n == r && j * 512 / m == c) sum += w(i, j), ++count;
      }
    }
    return sum / count;
  };
  const std::vector<std::pair<Index, Index>> some = {{300, 0}, {500, 17}, {511, 3}};
  for (const auto& [r, c] : some) {
    EXPECT_EQ(cells.colors[static_cast<std::size_t>(r * 512 + c)], Colormap("viridis").color(mean(r, c)));
  }
  // Of 1000 queries and 700 keys the first 300 see nothing.
  EXPECT_EQ(cells.colors[0], theme_colors(Theme::light).hidden);
  expect_readable(figure);
}

TEST(Heatmap, a_thumbnail_of_100000_tokens_has_their_positions) {
  const HeatmapOptions options{.mask = Mask::causal(), .full_queries = 100000, .full_keys = 100000};
  const Figure figure = heatmap(random_weights(256, 256), options);
  EXPECT_TRUE(
      has_text(figure, "Each cell is the mean of about 391 × 391 weights (100,000 × 100,000 in all)."));
  EXPECT_TRUE(has_text(figure, "20,000"));
  const scene::Cells cells = shapes<scene::Cells>(figure).front();
  EXPECT_EQ(cells.colors[255], theme_colors(Theme::light).hidden);  // upper right
  EXPECT_NE(cells.colors[0], theme_colors(Theme::light).hidden);    // partly visible: shown
  expect_readable(figure);
}

TEST(Heatmap, bad_input_is_named) {
  const Tensor w = random_weights(3, 4);
  const auto message = [&](const HeatmapOptions& options) {
    return error_of([&] { heatmap(w, options); });
  };
  EXPECT_TRUE(contains(message({.queries = {"a"}}), "1 labels for 3 queries"));
  EXPECT_TRUE(contains(message({.keys = {"a", "b", "c"}}), "3 labels for 4 keys"));
  EXPECT_TRUE(contains(message({.colormap = "jet"}), "viridis"));
  EXPECT_TRUE(contains(message({.range = ColorRange::fixed(1, 1)}), "ascending"));
  EXPECT_TRUE(contains(message({.full_queries = 2, .full_keys = 9}), "thumbnail"));
  EXPECT_TRUE(contains(message({.mask = Mask::causal(), .mask_batch = -1}), "got index -1"));
  EXPECT_TRUE(contains(error_of([] { heatmap(Tensor({2, 3, 4})); }), "[2, 3, 4]"));
  EXPECT_TRUE(contains(error_of([] { heatmap(Tensor({0, 4})); }), "[0, 4]"));
  Tensor nan = w;
  nan(1, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(error_of([&] { heatmap(nan); }), "query 1 for key 2 is nan"));
}

TEST(DifferenceHeatmap, zero_is_in_the_middle) {
  const Tensor a = Tensor::from({{0.5f, 0.22f}, {0.1f, 0.9f}}),
               b = Tensor::from({{0.5f, 0.4f}, {0.5f, 0.5f}});
  const Figure figure = difference_heatmap(a, b);
  expect_colors(figure, 2, 2, "RdBu", [&](Index i, Index j) { return 0.5 + (a(i, j) - b(i, j)) / 0.8; });
  EXPECT_TRUE(has_text(figure, "−0.400"));
  EXPECT_TRUE(has_text(figure, "0.0"));
  expect_colors(difference_heatmap(a, a), 2, 2, "RdBu", [](Index, Index) { return 0.5; });
  EXPECT_TRUE(contains(error_of([&] { difference_heatmap(a, Tensor({2, 3})); }), "[2, 2] and [2, 3]"));
}

}  // namespace
}  // namespace fovea
