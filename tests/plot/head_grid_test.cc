#include "fovea/head_grid.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fovea/colormap.h"
#include "fovea/mask_picture.h"
#include "fovea/random.h"
#include "plot/plot_testing.h"
#include "plot/theme.h"

namespace fovea {
namespace {

Tensor random_weights(const Shape& shape) {
  Random random(3);
  Tensor weights(shape);
  for (Index i = 0; i < shape.elements(); ++i) weights.data()[i] = static_cast<float>(random.uniform());
  return weights;
}

// Rows and columns of panels, from where they stand.
std::pair<std::size_t, std::size_t> arrangement(const Figure& figure) {
  std::set<double> lefts, tops;
  for (const scene::Cells& cells : shapes<scene::Cells>(figure))
    lefts.insert(cells.box.x), tops.insert(cells.box.y);
  return {tops.size(), lefts.size()};
}

const std::vector<std::string> kTokens = {"[CLS]", "The", "cat", "sat", "[SEP]"};

TEST(HeadGrid, eight_heads_stand_in_two_rows_of_four) {
  const Figure figure = head_grid(random_weights({8, 5, 5}),
                                  {.heatmap = {.queries = kTokens, .keys = kTokens}, .layers = {0}});
  EXPECT_EQ(arrangement(figure), (std::pair<std::size_t, std::size_t>{2, 4}));
  EXPECT_TRUE(has_text(figure, "Layer 0 Attention Heads"));
  for (int head = 1; head <= 8; ++head) EXPECT_TRUE(has_text(figure, "Head " + std::to_string(head)));
  const std::vector<std::string> all = texts(figure);
  EXPECT_EQ(std::count(all.begin(), all.end(), "[CLS]"), 2 + 4);  // left of two rows, below four columns
  expect_readable(figure);
}

TEST(HeadGrid, other_numbers_are_near_square) {
  const auto of = [](Index heads) { return arrangement(head_grid(random_weights({heads, 3, 3}))); };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(of(1), (Pair{1, 1}));
  EXPECT_EQ(of(2), (Pair{1, 2}));
  EXPECT_EQ(of(4), (Pair{2, 2}));
  EXPECT_EQ(of(6), (Pair{2, 3}));
  EXPECT_EQ(of(7), (Pair{2, 4}));
  EXPECT_EQ(of(12), (Pair{3, 4}));
  EXPECT_EQ(of(16), (Pair{4, 4}));
  expect_readable(head_grid(random_weights({7, 5, 5}), {.heatmap = {.queries = kTokens, .keys = kTokens}}));
}

TEST(HeadGrid, layers_and_heads_are_named) {
  const Figure few = head_grid(random_weights({2, 3, 4, 4}), {.layers = {3, 5}, .heads = {0, 2, 7}});
  EXPECT_EQ(arrangement(few), (std::pair<std::size_t, std::size_t>{2, 3}));
  for (const char* title : {"L3H0", "L3H7", "L5H2", "L5H7"}) EXPECT_TRUE(has_text(few, title));
  const Figure many = head_grid(random_weights({12, 12, 16, 16}), {.heatmap = {.mask = Mask::causal()}});
  EXPECT_EQ(arrangement(many), (std::pair<std::size_t, std::size_t>{12, 12}));
  for (const char* title : {"Layer 0", "Layer 11", "Head 0", "Head 11"}) EXPECT_TRUE(has_text(many, title));
  EXPECT_FALSE(has_text(many, "L3H7"));
  expect_readable(few);
  expect_readable(many);
}

TEST(HeadGrid, panels_share_one_range) {
  Tensor weights = Tensor::filled({2, 2, 2}, 0.25f);
  weights(1, 0, 0) = 0.75f;
  const auto colors = [](const Figure& figure) {
    std::vector<Color> all;
    for (const scene::Cells& cells : shapes<scene::Cells>(figure)) {
      all.insert(all.end(), cells.colors.begin(), cells.colors.end());
    }
    return all;
  };
  const Colormap blues("Blues");
  const std::vector<Color> unit = colors(head_grid(weights));
  ASSERT_EQ(unit.size(), 8u);
  EXPECT_EQ(unit[0], blues.color(0.25));
  EXPECT_EQ(unit[4], blues.color(0.75));
  const std::vector<Color> data = colors(head_grid(weights, {.heatmap = {.range = ColorRange::data()}}));
  EXPECT_EQ(data[0], blues.color(0));
  EXPECT_EQ(data[4], blues.color(1));
  EXPECT_EQ(shapes<scene::Gradient>(head_grid(weights)).size(), 1u);
}

TEST(HeadGrid, each_head_has_its_own_mask) {
  const Flags visible({1, 2, 2, 2}, {1, 1, 1, 1, 1, 0, 1, 1});
  const Figure figure = head_grid(random_weights({2, 2, 2}), {.heatmap = {.mask = Mask::dense(visible)}});
  EXPECT_EQ(shapes<scene::Hatch>(figure).size(), 1u);
  const Color hidden = theme_colors(Theme::light).hidden;
  EXPECT_EQ(shapes<scene::Cells>(figure)[1].colors[1], hidden);
}

TEST(HeadGrid, bad_input_is_named) {
  EXPECT_TRUE(contains(error_of([] { head_grid(Tensor({4, 4})); }), "[4, 4]"));
  EXPECT_TRUE(contains(error_of([] {
                         head_grid(Tensor({2, 4, 4}), {.heads = {1}});
                       }),
                       "1 numbers for 2 heads"));
  EXPECT_TRUE(contains(error_of([] {
                         head_grid(Tensor({2, 4, 4}), {.panel_titles = {"a"}});
                       }),
                       "1 titles for 2 panels"));
  EXPECT_TRUE(contains(error_of([] {
                         head_grid(Tensor({2, 4, 4}), {.heatmap = {.keys = {"a"}}});
                       }),
                       "1 labels"));
}

TEST(MaskPicture, sparse_pattern_of_16) {
  const Figure figure = mask_picture(Mask::sparse(4), 16, 16);
  const scene::Cells cells = shapes<scene::Cells>(figure).front();
  const Colormap blues("Blues");
  int visible = 0;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      const bool seen = std::abs(i - j) <= 4 || i % 4 == 0 || j % 4 == 0;
      visible += seen ? 1 : 0;
      EXPECT_EQ(cells.colors[static_cast<std::size_t>(16 * i + j)], blues.color(seen ? 1 : 0))
          << i << ", " << j;
    }
  }
  EXPECT_EQ(visible, 184);
  EXPECT_TRUE(has_text(figure, "Sparse 4: 71.9 % visible"));
  EXPECT_TRUE(has_text(mask_picture(Mask::sparse(4), 16, 16, {.language = Language::chinese}),
                       "掩码 16 × 16：71.9 % 可见"));
  EXPECT_TRUE(has_text(figure, "hidden"));
  EXPECT_TRUE(has_text(figure, "visible"));
  expect_readable(figure);
}

TEST(MaskPicture, large_masks_may_be_partly_visible) {
  const Figure figure = mask_picture(Mask::causal(), 100000, 100000);
  const scene::Cells cells = shapes<scene::Cells>(figure).front();
  const Colormap blues("Blues");
  EXPECT_EQ(cells.colors[0], blues.color(0.5));
  EXPECT_EQ(cells.colors[1], blues.color(0));
  EXPECT_EQ(cells.colors[512], blues.color(1));
  EXPECT_TRUE(has_text(figure, "partly visible"));
  EXPECT_TRUE(has_text(figure, "100,000 × 100,000 pairs in 512 × 512 cells."));
  expect_readable(figure);
  EXPECT_TRUE(contains(error_of([] { mask_picture(Mask(), 0, 4); }), "0 queries"));
}

}  // namespace
}  // namespace fovea
