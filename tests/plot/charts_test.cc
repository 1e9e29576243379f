// Lines, bars, the matrix of layers and heads, the growth chart.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/attention_bars.h"
#include "fovea/attention_lines.h"
#include "fovea/growth_chart.h"
#include "fovea/layer_head_matrix.h"
#include "fovea/speed_chart.h"
#include "plot/plot_testing.h"

namespace fovea {
namespace {

const std::vector<std::string> kWords = {"我", "喜欢", "AI"};

TEST(AttentionLines, only_the_largest_weights_that_hold_the_mass) {
  const Tensor weights = Tensor::from({{0.5f, 0.3f, 0.2f}, {0, 1, 0}, {0.25f, 0.25f, 0.5f}});
  AttentionLinesOptions options;
  options.queries = options.keys = kWords;
  options.mass = 0.6;  // rows need 2, 1 and 2 lines
  const Figure figure = attention_lines(weights, options);
  const std::vector<scene::Curve> lines = shapes<scene::Curve>(figure);
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_LE(lines[i - 1].opacity, lines[i].opacity);
  EXPECT_EQ(lines.back().from.y, lines.back().to.y);  // the one of weight 1 goes from 喜欢 to 喜欢
  expect_readable(figure);
}

TEST(AttentionLines, one_query_alone) {
  AttentionLinesOptions options;
  options.query = 2;
  options.mass = 1;
  EXPECT_EQ(shapes<scene::Curve>(attention_lines(Tensor::filled({4, 5}, 0.2f), options)).size(), 5U);
}

TEST(AttentionLines, heads_have_their_colours_and_names) {
  AttentionLinesOptions options;
  options.head_names = {"L0H1", "L0H7"};
  const Figure figure = attention_lines(Tensor::filled({2, 3, 3}, 1.0f / 3), options);
  EXPECT_TRUE(has_text(figure, "L0H1") && has_text(figure, "L0H7"));
  const std::vector<scene::Curve> lines = shapes<scene::Curve>(figure);
  EXPECT_NE(to_hex(lines.front().stroke.color), to_hex(lines.back().stroke.color));
  expect_readable(figure);
}

TEST(AttentionLines, bad_input_is_named) {
  const auto message = [](const Tensor& weights, const AttentionLinesOptions& options = {}) {
    return error_of([&] { attention_lines(weights, options); });
  };
  AttentionLinesOptions two;
  two.queries = {"a", "b"};
  EXPECT_TRUE(contains(message(Tensor({3, 3}), two), "got 2 labels of queries, expected 3"));
  EXPECT_TRUE(contains(message(Tensor({301, 3})), "got 301 queries"));
  EXPECT_TRUE(contains(message(Tensor::filled({2, 2}, -1)), "head 0, query 0, key 0 is -1"));
  EXPECT_TRUE(contains(message(Tensor({2, 2, 2, 2})), "[2, 2, 2, 2]"));
  AttentionLinesOptions far;
  far.query = 3;
  EXPECT_TRUE(contains(message(Tensor({3, 3}), far), "0 to 2"));
}

TEST(AttentionBars, lengths_follow_the_values) {
  AttentionBarsOptions options;
  options.labels = kWords;
  options.reference = 1, options.reference_name = "even: 1";
  const Figure figure = attention_bars({2, 0.5, 1}, options);
  const std::vector<scene::Rectangle> bars = shapes<scene::Rectangle>(figure);
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_NEAR(bars[0].box.width / bars[1].box.width, 4, 1e-9);
  EXPECT_NEAR(bars[0].box.width / bars[2].box.width, 2, 1e-9);
  EXPECT_TRUE(has_text(figure, "0.500") && has_text(figure, "喜欢"));
  expect_readable(figure);
}

TEST(AttentionBars, many_become_means_and_the_figure_says_so) {
  std::vector<double> values(100000, 1);
  const Figure figure = attention_bars(values);
  EXPECT_TRUE(has_text(figure, "100,000 values in 512 columns, each the mean of its values"));
  expect_readable(figure);
}

TEST(AttentionBars, bad_input_is_named) {
  EXPECT_TRUE(contains(error_of([] { attention_bars({1, -1}); }), "value 1 is -1"));
  EXPECT_TRUE(contains(error_of([] { attention_bars({}); }), "no values"));
  EXPECT_TRUE(contains(error_of([] {
                         attention_bars({1, 2}, {.labels = {"a"}});
                       }),
                       "got 1 labels, expected 2"));
}

TEST(LayerHeadMatrix, means_stand_beside_and_below) {
  const Figure figure = layer_head_matrix(Matrix{{1, 2}, {3, 6}, {5, 7}});
  for (const char* mean : {"1.50", "4.50", "6.00", "3.00", "5.00", "4.00"})
    EXPECT_TRUE(has_text(figure, mean)) << mean;
  EXPECT_EQ(shapes<scene::Rectangle>(figure).size(), 12U);
  expect_readable(figure);
}

TEST(LayerHeadMatrix, numbers_of_chosen_layers_and_heads) {
  LayerHeadMatrixOptions options;
  options.layers = {5}, options.heads = {11, 3};
  const Figure figure = layer_head_matrix(Matrix{{1, 2}}, options);
  EXPECT_TRUE(has_text(figure, "5") && has_text(figure, "11"));
  expect_readable(figure);
  options.heads.pop_back();
  EXPECT_TRUE(contains(error_of([&] {
                         layer_head_matrix(Matrix{{1, 2}}, options);
                       }),
                       "got 1 numbers of heads"));
  EXPECT_TRUE(contains(error_of([&] { layer_head_matrix(Matrix{{1, NAN}}); }), "nan"));
}

TEST(GrowthChart, exponents_are_those_of_the_upper_half) {
  std::vector<GrowthPoint> square, flat;
  for (Index n = 256; n <= 65536; n *= 2) {
    const auto x = static_cast<double>(n);
    square.push_back({n, 3e-9 * x * x});
    flat.push_back({n, n < 4096 ? 1.0 : x / 4096});  // a fixed cost at first
  }
  EXPECT_NEAR(growth_exponent(square), 2, 1e-9);
  EXPECT_NEAR(growth_exponent(flat), 1, 1e-9);
  EXPECT_THROW(growth_exponent({{5, 1}, {5, 2}}), Error);
}

TEST(GrowthChart, points_lie_on_a_straight_line) {
  const Figure figure = growth_chart(
      {{"standard", {{100, 0.01}, {1000, 1}, {10000, 100}}}, {"linear", {{100, 0.1}, {1000, 1}}}});
  const std::vector<scene::Polyline> all = shapes<scene::Polyline>(figure);
  const auto line =
      std::find_if(all.begin(), all.end(), [](const scene::Polyline& p) { return p.points.size() == 3; });
  ASSERT_NE(line, all.end());
  const auto& p = line->points;
  EXPECT_NEAR(p[1].x - p[0].x, p[2].x - p[1].x, 1e-9);
  EXPECT_NEAR(p[1].y - p[0].y, p[2].y - p[1].y, 1e-9);
  EXPECT_LT(p[2].y, p[0].y);
  EXPECT_TRUE(has_text(figure, "∝ n²·⁰⁰"));
  EXPECT_TRUE(has_text(figure, "∝ n¹·⁰⁰"));
  expect_readable(figure);
  EXPECT_TRUE(contains(error_of([] { growth_chart({{"a", {{1, 0.0}, {2, 1}}}}); }), "0 seconds at n = 1"));
  EXPECT_TRUE(contains(error_of([] { growth_chart({{"a", {{1, 1.0}}}}); }), "two different n"));
}

TEST(GrowthChart, data_of_the_benchmark) {
  const TemporaryFolder folder;
  write_file(folder / "b.csv",
             "operation,mask,competitor,status,batch,heads,width,queries,median_ms,path\n"
             "forward,,fovea,measured,8,1,64,1024,10,\"a, b\"\nlinear,,fovea,measured,8,1,64,1024,2,\n"
             "forward,,fovea,measured,8,1,64,2048,40,\nlinear,,fovea,measured,8,1,64,2048,4,\n"
             "forward,,fovea,measured,8,1,128,4096,1,other width\nforward,,fovea,failed,8,1,64,4096,0,\n"
             "linear,causal,fovea,measured,8,1,64,1024,3,alone\n");
  const GrowthData data = load_growth(folder / "b.csv");
  ASSERT_EQ(data.series.size(), 2U);
  EXPECT_EQ(data.series[0].name, "standard");
  ASSERT_EQ(data.series[0].points.size(), 2U);
  EXPECT_EQ(data.series[0].points[1].n, 2048);
  EXPECT_DOUBLE_EQ(data.series[0].points[1].seconds, 0.04);
  EXPECT_EQ(data.series[1].name, "linear");
  EXPECT_EQ(data.note, "batch 8, heads 1, width 64; medians");

  write_file(
      folder / "b.json",
      R"({"scenarios": [{"cases": [{"operation": "forward", "mask": "", "batch": 8, "heads": 1, "width": 64,
             "queries": 10, "results": [{"competitor": "fovea", "status": "measured", "median_seconds": 0.5}]},
             {"operation": "forward", "mask": "", "batch": 8, "heads": 1, "width": 64, "queries": 20,
             "results": [{"competitor": "fovea", "status": "measured", "median_seconds": 2}]}]}]})");
  EXPECT_EQ(load_growth(folder / "b.json").series.at(0).points.at(1).seconds, 2);
  write_file(folder / "c.json", "{\"scenarios\": [{\"cases\": 3}]}");
  EXPECT_TRUE(
      contains(error_of([&] { load_growth(folder / "c.json"); }), "not a file from fovea bench --json"));
  write_file(folder / "c.csv", "a,b\n1,2\n");
  EXPECT_TRUE(contains(error_of([&] { load_growth(folder / "c.csv"); }), "line 2 has no column status"));
}

TEST(SpeedChart, bars_are_as_long_as_the_times) {
  const Figure figure =
      speed_chart({{"short", {{"PyTorch", 2}, {"ONNX Runtime", 4}}}, {"long", {{"PyTorch", 3}}}});
  std::vector<double> lengths;
  for (const scene::Rectangle& bar : shapes<scene::Rectangle>(figure)) {
    if (bar.box.height > 8.5) lengths.push_back(bar.box.width);  // the squares of the legend are smaller
  }
  ASSERT_EQ(lengths.size(), 5U);  // fovea twice, and three others
  EXPECT_NEAR(lengths[1], 2 * lengths[0], 1e-9);
  EXPECT_NEAR(lengths[2], 4 * lengths[0], 1e-9);
  EXPECT_NEAR(lengths[3], lengths[0], 1e-9);
  EXPECT_NEAR(lengths[4], 3 * lengths[0], 1e-9);
  EXPECT_TRUE(has_text(figure, "4.00 ×") && has_text(figure, "ONNX Runtime") && has_text(figure, "long"));
  expect_readable(figure);
  EXPECT_TRUE(contains(error_of([] { speed_chart({}); }), "there are no scenarios"));
  EXPECT_TRUE(contains(error_of([] { speed_chart({{"a", {}}}); }), "a: there are no results"));
  EXPECT_TRUE(contains(error_of([] { speed_chart({{"a", {{"b", 0}}}}); }), "the time of b is 0"));
}

TEST(SpeedChart, ratios_of_the_benchmark) {
  const TemporaryFolder folder;
  write_file(folder / "b.json", R"({"machine": {"processor": "P", "threads": 2},
      "competitors": [{"id": "torch", "name": "PyTorch"}], "scenarios": [{"cases": [
      {"label": {"en": "one", "zh": "一"}, "results": [
        {"competitor": "torch", "status": "measured", "median_seconds": 3},
        {"competitor": "blas", "status": "failed"},
        {"competitor": "fovea", "status": "measured", "median_seconds": 2}]},
      {"label": {"en": "alone", "zh": "独自"}, "results": [
        {"competitor": "fovea", "status": "measured", "median_seconds": 2}]},
      {"label": "three runs", "results": [
        {"competitor": "torch", "status": "measured", "times_of_fovea": [1.5, 9, 1.25]}]}]}]})");
  const SpeedData data = load_speed(folder / "b.json");
  ASSERT_EQ(data.scenarios.size(), 2U);
  EXPECT_EQ(data.scenarios[0].name, "one");
  ASSERT_EQ(data.scenarios[0].results.size(), 1U);
  EXPECT_EQ(data.scenarios[0].results[0].competitor, "PyTorch");
  EXPECT_DOUBLE_EQ(data.scenarios[0].results[0].times, 1.5);
  EXPECT_DOUBLE_EQ(data.scenarios[1].results.at(0).times, 1.5);
  EXPECT_EQ(data.note, "P, 2 threads; medians");
  EXPECT_EQ(load_speed(folder / "b.json", Language::chinese).scenarios[0].name, "一");
  write_file(folder / "c.json", R"({"scenarios": [{"cases": 3}]})");
  EXPECT_TRUE(
      contains(error_of([&] { load_speed(folder / "c.json"); }), "not a file from fovea bench --json"));
  write_file(folder / "d.json", R"({"scenarios": []})");
  EXPECT_TRUE(contains(error_of([&] { load_speed(folder / "d.json"); }), "no measurements"));
}

}  // namespace
}  // namespace fovea
