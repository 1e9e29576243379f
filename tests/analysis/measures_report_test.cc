#include "fovea/measures_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/attention.h"
#include "fovea/random.h"

namespace fovea {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MeasuresReport two_heads(std::vector<std::string> tokens = {}) {
  MeasuresReport report =
      report_of(measure_attention(Tensor::from({{{0.5, 0.5}, {0, 1}}, {{1, 0}, {1, 0}}})));
  report.tokens = std::move(tokens);
  return report;
}

TEST(MeasuresReport, tables_in_both_languages) {
  const std::string english = to_terminal(two_heads({"我", "learning"}));
  for (const char* part : {"L0H1", "averaged weights", "learning", "role", "Roles: ", "Averaged weights: "})
    EXPECT_TRUE(contains(english, part)) << part;
  const std::string chinese = to_terminal(two_heads({"我", "learning"}), {.language = Language::chinese});
  for (const char* part : {"归一化熵", "平均权重：", "角色：", "最受关注的键"})
    EXPECT_TRUE(contains(chinese, part)) << part;
  EXPECT_THROW(to_terminal(two_heads({"one"})), Error);
}

TEST(MeasuresReport, digits_asked_for) {
  const std::string two = to_terminal(two_heads(), {.digits = 2});
  EXPECT_TRUE(contains(two, "L0H0                        0.35        0.50       0.75        key 1  1.50  "))
      << two;
  EXPECT_FALSE(contains(two, "0.346")) << two;
  const std::string nine = to_terminal(two_heads(), {.language = Language::chinese, .digits = 9});
  EXPECT_TRUE(contains(nine, "第 1 个键  1.500000000")) << nine;
  EXPECT_TRUE(contains(nine, "0.346573590")) << nine;
  EXPECT_TRUE(contains(to_terminal(two_heads({"我", "AI"})), "AI  1.5000"));
}

TEST(MeasuresReport, one_head_needs_no_averages) {
  const std::string text = to_terminal(report_of(measure_attention(Tensor::from({{1, 0}, {0, 1}}))));
  EXPECT_FALSE(contains(text, "veraged")) << text;
  EXPECT_TRUE(contains(text, "received")) << text;
}

TEST(MeasuresReport, lines_of_tables_are_aligned) {
  MeasuresReport report = report_of(measure_attention(Tensor::from({{0.5, 0.5}, {0, 1}})));
  report.tokens = {"我", "喜欢"};
  report.role = false;
  const std::string text = to_terminal(report, {.language = Language::chinese});
  const std::string table = text.substr(0, text.find("\n\n"));
  std::vector<int> widths;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = std::min(table.find('\n', begin), table.size());
    widths.push_back(display_width(table.substr(begin, end - begin)));
    begin = end + 1;
  }
  for (const int width : widths) EXPECT_EQ(width, widths.front()) << table;
}

TEST(MeasuresReport, many_columns_are_several_tables_within_the_width) {
  MeasuresReport report = two_heads({"a", "b"});
  report.columns = all_measures();
  report.role = false;
  for (const Language language : {Language::english, Language::chinese}) {
    const std::string text = to_terminal(report, {.language = language, .width = 80});
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      EXPECT_LE(display_width(text.substr(begin, end - begin)), 80) << text.substr(begin, end - begin);
      begin = end + 1;
    }
    EXPECT_TRUE(contains(text, "–")) << text;  // induction does not apply
  }
}

TEST(MeasuresReport, json_and_csv_tell_what_does_not_apply) {
  const MeasuresReport report = two_heads({"a", "b\"c"});
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["heads"][0]["rows"]["entropy"][0].get<double>(), std::log(2.0));
  EXPECT_EQ(json["head_means"][0]["received"].get<std::vector<double>>(),
            (std::vector<double>{1.25, 0.75}));
  EXPECT_TRUE(json["heads"][0]["measures"]["induction"].is_null());
  EXPECT_EQ(json["tokens"][1], "b\"c");
  const std::string csv = to_csv(report);
  EXPECT_TRUE(contains(csv, "\n0,0,0.34657359027997264,")) << csv;
  EXPECT_TRUE(contains(csv, "nan") == false) << csv;
}

TEST(MeasuresReport, layers_and_sequences) {
  Random random(1);
  const Tensor q = random.normal({3, 2, 4, 5, 6});
  const AttentionMeasures measures = measure_attention(q, q);
  const fovea::Run run = fovea::Run::from_query_key(q, q).select(AttentionKind::encoder, 1);
  const MeasuresReport report = measures_report(run);
  ASSERT_EQ(report.heads.size(), 12u);
  ASSERT_EQ(report.means.size(), 3u);
  EXPECT_EQ(report.heads[6].name, "L1H2");
  EXPECT_EQ(report.heads[6].measures.received, measures.heads[3][2].received);
  EXPECT_EQ(report.means[2].name, "L2 mean");
  EXPECT_EQ(report.means[2].head, -1);
  EXPECT_EQ(report.means[2].measures.received, measures.head_mean[5].received);
  EXPECT_FALSE(contains(to_terminal(report), "\ntoken ")) << "tokens of several layers are not mixed";
  EXPECT_THROW(measures_report(fovea::Run::from_query_key(q, q)), Error) << "two sequences";
}

// Chosen heads are the same heads, and a merged choice is the mean of its layer.
TEST(MeasuresReport, chosen_heads) {
  Random random(2);
  const Tensor q = random.normal({2, 1, 3, 5, 6});
  const fovea::Run run = fovea::Run::from_query_key(q, q, {.mask = Mask::causal()});
  const MeasuresReport all = measures_report(run);
  const MeasuresReport some =
      measures_report(run, {.heads = {{.layer = 1, .head = 2}, {.layer = 1, .merge = HeadMerge::mean}}});
  ASSERT_EQ(some.heads.size(), 2u);
  EXPECT_EQ(some.heads[0].name, "L1H2");
  EXPECT_EQ(some.heads[0].measures.received, all.heads[5].measures.received);
  EXPECT_EQ(some.heads[1].name, "L1 mean");
  EXPECT_EQ(some.heads[1].head, -1);
  EXPECT_TRUE(some.masked);
  for (const Measure measure : all_measures()) {
    const double want = all.means[1].measures[measure];
    if (!std::isnan(want)) {
      EXPECT_NEAR(some.heads[1].measures[measure], want, 1e-6) << static_cast<int>(measure);
    }
  }
}

TEST(MeasuresReport, sorted_with_what_does_not_apply_last) {
  Tensor weights = Tensor::from({{{0, 0}, {0, 0}}, {{0.9, 0.1}, {0.1, 0.9}}, {{0.5, 0.5}, {0.5, 0.5}}});
  MeasuresReport report = report_of(measure_attention(weights));
  sort_by(report, Measure::entropy);
  EXPECT_EQ(report.heads[0].name, "L0H2");
  EXPECT_EQ(report.heads[1].name, "L0H1");
  EXPECT_EQ(report.heads[2].name, "L0H0");
  sort_by(report, Measure::distance);
  EXPECT_TRUE(contains(to_terminal(report), "distance"));
}

TEST(MeasuresReport, nothing_to_report) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 2, 3}, Shape{0, 2, 3, 3}}) {
    const AttentionMeasures measures = measure_attention(Tensor(shape));
    const MeasuresReport report = report_of(measures);
    const std::string csv = to_csv(report);
    EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), 1 + report.heads.size())
        << csv;
    const auto json = nlohmann::json::parse(to_json(report));
    EXPECT_EQ(json.at("heads").size(), report.heads.size()) << shape.to_string();
    for (const auto& head : json.at("heads")) {
      EXPECT_TRUE(head.at("measures").at("entropy").is_null());
      EXPECT_EQ(head.at("role").at("id"), "none") << head;
    }
    EXPECT_EQ(contains(to_terminal(report), "sees nothing"), !report.heads.empty()) << shape.to_string();
    EXPECT_FALSE(contains(to_terminal(report), "causal")) << shape.to_string();
  }
}

TEST(MeasuresReport, weights_that_look_causal_are_told) {
  const Tensor causal = Tensor::from({{1, 0, 0}, {0.5, 0.5, 0}, {0.2f, 0.3f, 0.5f}});
  EXPECT_TRUE(measure_attention(causal).looks_causal);
  EXPECT_FALSE(measure_attention(causal, Mask::causal()).looks_causal);
  EXPECT_FALSE(measure_attention(Tensor::filled({3, 3}, 1.0f / 3)).looks_causal);
  EXPECT_TRUE(contains(to_terminal(report_of(measure_attention(causal))), "above the diagonal are 0"));
}

}  // namespace
}  // namespace fovea
