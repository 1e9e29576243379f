#include "fovea/figure.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "fovea/heatmap.h"
#include "plot/plot_testing.h"
#include "plot/theme.h"

namespace fovea {
namespace {

// Every shape, and texts that are hard on a writer of XML.
Figure all_shapes() {
  Scene s;
  s.width = 144, s.height = 72;
  s.title = "a <title> & \"more\" \x01\xFF";
  const scene::Stroke stroke{{0, 0, 0}, 1, {2, 1}};
  s.add(scene::Rectangle{{5, 5, 20, 10}, Color{200, 0, 0}, stroke, 3, 0.5});
  s.add(scene::Circle{{40, 10}, 5, Color{0, 200, 0}, {}, 1});
  s.add(scene::Polyline{{{5, 30}, {20, 40}, {30, 30}}, stroke, {}, false, true, 0.7});
  s.add(scene::Curve{{40, 30}, {50, 30}, {50, 40}, {60, 40}, {{0, 0, 200}, 2, {}}, true, 1});
  s.add(scene::Cells{{70, 5, 20, 20}, 2, 2, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {250, 251, 252}}});
  s.add(scene::Cells{{70, 30, 20, 20}, 80, 80, std::vector<Color>(6400, {9, 99, 199})});
  s.add(scene::Hatch{{{95, 5, 20, 20}, {95, 25, 10, 10}}, {0, 0, 0}});
  s.add(scene::Gradient{{120, 5, 5, 30}, std::vector<Color>(256, {5, 6, 7})});
  for (const char* text : {"<&>\"']]>", "\x01\x02\xFF\xFE", "我 喜欢", "مرحبا", "😀 1 2", "\uFFFF"}) {
    s.add(scene::Label{text,
                       {60, 60},
                       {8, true, scene::Family::mono},
                       {0, 0, 0},
                       scene::Anchor::middle,
                       scene::VerticalAnchor::middle,
                       -30,
                       0.9});
  }
  return Figure(std::move(s));
}

TEST(Figure, png_is_valid_for_pngcheck) {
  const TemporaryFolder folder;
  save_figure(folder / "a.png", all_shapes(), {.png = {.dpi = 200, .scale = 2}});
  const ToolResult result = run_tool("pngcheck", "-v " + folder / "a.png");
  if (!result.found) GTEST_SKIP() << "needs pngcheck: scripts/setup test";
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "No errors detected"));
  EXPECT_TRUE(contains(result.output, "800 x 400 image, 24-bit RGB"));
  EXPECT_TRUE(contains(result.output, "(400 dpi)"));
}

TEST(Figure, svg_is_valid_for_xmllint) {
  const TemporaryFolder folder;
  save_figure(folder / "a.SVG", all_shapes());
  const ToolResult result = run_tool("xmllint", "--noout " + folder / "a.SVG");
  if (!result.found) GTEST_SKIP() << "needs xmllint: scripts/setup test";
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

TEST(Figure, pdf_is_valid_for_pdfinfo_and_its_text_can_be_selected) {
  const TemporaryFolder folder;
  const HeatmapOptions options{.queries = {"喜欢", "AI"}, .title = "Weights of two words"};
  save_figure(folder / "a.pdf", heatmap(Tensor::from({{0.25f, 0.75f}, {0.5f, 0.5f}}), options));
  const ToolResult info = run_tool("pdfinfo", folder / "a.pdf");
  const ToolResult text = run_tool("pdftotext", folder / "a.pdf" + " -");
  if (!info.found || !text.found) GTEST_SKIP() << "needs pdfinfo and pdftotext: scripts/setup test";
  EXPECT_EQ(info.exit_code, 0) << info.output;
  EXPECT_TRUE(contains(info.output, "Weights of two words"));
  EXPECT_TRUE(contains(info.output, "2000"));  // the fixed date
  for (const char* part : {"Weights of two words", "喜欢", "0.750", "Query"}) {
    EXPECT_TRUE(contains(text.output, part));
  }
}

TEST(Figure, same_input_gives_the_same_bytes_on_every_thread) {
  const Figure first = all_shapes();
  const std::string png = to_png(first), pdf = to_pdf(first), svg = to_svg(first);
  std::thread([&] {
    const Figure second = all_shapes();
    EXPECT_TRUE(to_png(second) == png);
    EXPECT_TRUE(to_pdf(second) == pdf);
    EXPECT_TRUE(to_svg(second) == svg);
  }).join();
}

TEST(Figure, cells_are_sharp_and_emoji_have_colours) {
  Scene s;
  s.width = s.height = 72;
  s.add(scene::Cells{{10, 10, 20, 20}, 2, 2, {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 0}}});
  s.add(scene::Label{"😀", {40, 60}, {20, false, scene::Family::sans}, {0, 0, 0}});
  const Pixels pixels(to_png(Figure(s), {.dpi = 144}));
  EXPECT_EQ(pixels.at(20, 20), (Color{255, 0, 0}));
  EXPECT_EQ(pixels.at(39, 39), (Color{255, 0, 0}));
  EXPECT_EQ(pixels.at(40, 39), (Color{0, 255, 0}));
  EXPECT_EQ(pixels.at(39, 40), (Color{0, 0, 255}));
  EXPECT_EQ(pixels.at(59, 59), (Color{255, 255, 0}));
  EXPECT_EQ(pixels.at(60, 59), (Color{255, 255, 255}));
  int yellow = 0;
  for (int y = 80; y < 140; ++y) {
    for (int x = 80; x < 140; ++x) {
      const Color color = pixels.at(x, y);
      yellow += color.red > 200 && color.green > 150 && color.blue < 120 ? 1 : 0;
    }
  }
  EXPECT_GT(yellow, 200);
}

TEST(Figure, a_pixel_has_the_colour_of_the_cell_at_its_centre) {
  Scene s;
  s.width = s.height = 72;
  s.add(scene::Cells{{0, 0, 10, 10}, 1, 3, {{10, 0, 0}, {11, 0, 0}, {12, 0, 0}}});
  const Pixels pixels(to_png(Figure(s), {.dpi = 72}));
  const int expected[] = {10, 10, 10, 11, 11, 11, 11, 12, 12, 12};  // ⌊(p + ½) · 3 / 10⌋
  for (int p = 0; p < 10; ++p) EXPECT_EQ(pixels.at(p, 5).red, expected[p]) << p;
}

TEST(Figure, cells_smaller_than_pixels_are_averaged) {
  Scene s;
  s.width = s.height = 72;
  std::vector<Color> stripes;
  for (int i = 0; i < 72 * 72; ++i) stripes.push_back(i % 2 == 0 ? Color{0, 0, 0} : Color{200, 100, 50});
  s.add(scene::Cells{{0, 0, 72, 72}, 72, 72, stripes});
  const Pixels pixels(to_png(Figure(s), {.dpi = 36}));
  EXPECT_EQ(pixels.width(), 36);
  EXPECT_EQ(pixels.at(0, 0), (Color{100, 50, 25}));
  EXPECT_EQ(pixels.at(35, 17), (Color{100, 50, 25}));
}

TEST(Figure, what_cannot_be_written_leaves_nothing_behind) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(error_of([&] { save_figure(folder / "none/a.png", Figure()); }), "none"));
  EXPECT_TRUE(
      contains(error_of([&] { save_figure(folder / "a.gif", Figure()); }), "expected .png, .pdf or .svg"));
  EXPECT_TRUE(contains(error_of([&] { save_figure(folder / "png", Figure()); }), "extension is \"\""));
  EXPECT_TRUE(contains(error_of([&] { save_figure(folder / "a.png", Figure(), {.png = {.dpi = 5}}); }),
                       "10 to 2400"));
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Figure, impossible_sizes_are_errors) {
  Scene wide;
  wide.width = 72 * 300;
  EXPECT_TRUE(contains(error_of([&] { to_png(Figure(wide)); }), "45000 × 150 pixels"));
  EXPECT_TRUE(contains(error_of([] { to_png(Figure(), {.scale = 5}); }), "1 to 4"));
  EXPECT_TRUE(contains(error_of([] { to_png(Figure(), {.dpi = std::nan("")}); }), "10 to 2400"));
}

TEST(Theme, texts_can_be_read_on_the_background) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const ThemeColors& colors = theme_colors(theme);
    const auto light = [](Color c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
    EXPECT_GT(std::abs(light(colors.ink) - light(colors.background)), 150);
    EXPECT_GT(std::abs(light(colors.muted) - light(colors.background)), 100);
  }
}

}  // namespace
}  // namespace fovea
