// The table of `fovea bench models`.
#include <fmt/format.h>

#include "commands/bench/tables.h"

namespace fovea::command {
namespace {

using bench::CaseResult;
using bench::Measurement;
using bench::Operation;

constexpr std::pair<const char*, const char*> kOthers[] = {{"fovea_plain", "plain"},
                                                           {"pytorch", "PyTorch"},
                                                           {"attentions", "attentions"},
                                                           {"onnxruntime", "ONNX R."}};

std::string rate(const CaseResult& result, double seconds) {
  if (result.info.operation == Operation::model) {
    return fmt::format("{:.1f} GFLOP/s", result.info.flops / seconds / 1e9);
  }
  return fmt::format("{:.0f} tokens/s", static_cast<double>(result.info.queries) / seconds);
}

}  // namespace

bool is_model_case(const CaseResult& result) {
  return result.info.operation == Operation::model || result.info.operation == Operation::generation;
}

void print_models(const Context& context, const bench::Report& report) {
  std::vector<std::string> titles = {context.say(tr("batch × tokens")), context.say(tr("fovea, captured")),
                                     "±", ""};
  for (const auto& [id, title] : kOthers) titles.emplace_back(title);
  AlignedTable table(titles);
  for (const bench::ScenarioResult& scenario : report.scenarios) {
    for (const CaseResult& result : scenario.cases) {
      if (!is_model_case(result)) continue;
      std::vector<std::string> row = {context.say(result.info.label)};
      const Measurement* ours = result.by("fovea");
      if (ours != nullptr && ours->times.rounds > 0) {
        const bench::Times& t = ours->times;
        row.insert(row.end(),
                   {milliseconds(t.median),
                    fmt::format("{:.1f} %", 50 * (t.third_quartile - t.first_quartile) / t.median),
                    rate(result, t.median)});
      } else {
        row.insert(row.end(), {"–", "–", "–"});
      }
      for (const auto& [id, title] : kOthers) {
        const auto ratio = ratio_to_fovea(result, id);
        row.push_back(ratio ? times(*ratio) : "–");
      }
      table.add(row);
    }
  }
  if (table.empty()) return;
  table_heading(
      context, report,
      tr("Whole models. fovea captures every attention call (plain: without capture): median of {0} "
         "rounds, ± half the interquartile range. Others: multiples of fovea's time. attentions: "
         "transformers with output_attentions=True",
         rounds_text(report)));
  table.print(context);
}

}  // namespace fovea::command
