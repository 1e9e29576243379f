#include "fovea/measures_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/run_part.h"
#include "core/fail.h"
#include "core/number_text.h"

namespace fovea {
namespace {

// Empty if all rows sum to 1.
Text sums_note(const AttentionMeasures& measures) {
  const Index count = measures.rows_not_one;
  if (count == 0) return {};
  const std::string low = short_number(measures.lowest_sum), high = short_number(measures.highest_sum);
  return {
      fmt::format("{} (lowest {}, highest {}): entropy is −Σ w·ln w of the weights as they are.",
                  count == 1 ? "1 row does not sum to 1" : fmt::format("{} rows do not sum to 1", count),
                  low, high),
      fmt::format("有 {} 行的权重之和不为 1（最低 {}，最高 {}）：熵按权重原样计算 −Σ w·ln w。", count, low,
                  high)};
}

Text causal_note() {
  return {
      "All weights above the diagonal are 0, but no mask was given: with a causal mask, normalised "
      "entropy would only count the keys that a row may see.",
      "对角线以上的权重全为 0，但未给出掩码：若给出因果掩码，归一化熵将只计每行可见的键。"};
}

std::vector<UnknownToken> unknown_of(const std::vector<TokenSequence>& sequences, Index batch) {
  const auto entry = static_cast<std::size_t>(batch);
  return entry < sequences.size() ? sequences[entry].unknown : std::vector<UnknownToken>{};
}

}  // namespace

MeasuresReport report_of(const AttentionMeasures& measures) {
  MeasuresReport report;
  report.queries = measures.shape.back(1);
  report.keys = measures.shape.back();
  report.masked = measures.masked;
  if (Text note = sums_note(measures); !note.en.empty()) report.notes.push_back(std::move(note));
  if (measures.looks_causal) report.notes.push_back(causal_note());
  for (std::size_t l = 0; l < measures.heads.size(); ++l) {
    const auto layer = static_cast<Index>(l);
    for (std::size_t h = 0; h < measures.heads[l].size(); ++h) {
      const HeadChoice place{.layer = layer, .head = static_cast<Index>(h)};
      report.heads.push_back({place.name(), layer, place.head, measures.heads[l][h]});
    }
    if (!measures.head_mean.empty() && !measures.heads[l].empty()) {
      const HeadChoice mean{.layer = layer, .merge = HeadMerge::mean};
      report.means.push_back({mean.name(), layer, -1, measures.head_mean[l]});
    }
  }
  return report;
}

MeasuresReport measures_report(const Run& run, const MeasureOptions& options) {
  MeasuresReport report = report_of(measure_attention(run, options));
  for (std::size_t i = 0; i < options.heads.size(); ++i) {
    const HeadChoice& place = options.heads[i];
    report.heads[i].name = place.name();
    report.heads[i].layer = place.layer;
    report.heads[i].head = place.merge == HeadMerge::none ? place.head : -1;
  }
  const HeadChoice first =
      options.heads.empty() ? HeadChoice{.kind = only_part("measures", run).kind} : options.heads.front();
  report.tokens = run.query_tokens(first.kind, first.batch);
  report.key_tokens = run.key_tokens(first.kind, first.batch);
  report.unknown = unknown_of(run.tokens(first.kind).queries, first.batch);
  report.unknown_keys = unknown_of(run.tokens(first.kind).keys, first.batch);
  return report;
}

void sort_by(MeasuresReport& report, Measure measure) {
  report.sorted_by = measure;
  std::stable_sort(report.heads.begin(), report.heads.end(),
                   [&](const ReportedHead& a, const ReportedHead& b) {
                     const double left = a.measures[measure], right = b.measures[measure];
                     return !std::isnan(left) && (std::isnan(right) || left > right);
                   });
}

}  // namespace fovea
