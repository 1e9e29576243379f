// The table of `fovea bench train`.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands/bench/tables.h"

namespace fovea::command {
namespace {

using bench::CaseResult;
using bench::Measurement;

void add_training_figures(const CaseResult& result, std::vector<std::string>& row) {
  const Measurement* ours = result.by("fovea");
  if (ours == nullptr || ours->times.rounds == 0) {
    row.insert(row.end(), {"–", "–", "–", "–", "–"});
    return;
  }
  const bench::Times& t = ours->times;
  const double gflops = result.info.flops / t.median / 1e9;
  row.insert(row.end(), {milliseconds(t.median),
                         fmt::format("{:.1f} %", 50 * (t.third_quartile - t.first_quartile) / t.median),
                         fmt::format("{:.1f} %", 100 * gflops / result.info.peak)});
  for (const char* id : {"pytorch", "compiled"}) {
    const auto ratio = ratio_to_fovea(result, id);
    row.push_back(ratio ? times(*ratio) : "–");
  }
}

}  // namespace

bool is_training_case(const CaseResult& result) {
  return result.info.operation == bench::Operation::training;
}

void print_training(const Context& context, const bench::Report& report) {
  AlignedTable table({context.say(tr("model, batch × tokens")), context.say(tr("a step")), "±",
                      context.say(tr("of peak")), "PyTorch", context.say(tr("compiled"))});
  std::map<int, double> peaks;
  for (const bench::ScenarioResult& scenario : report.scenarios) {
    for (const CaseResult& result : scenario.cases) {
      if (!is_training_case(result)) continue;
      std::vector<std::string> row = {context.say(result.info.label)};
      add_training_figures(result, row);
      table.add(row);
      double& peak = peaks[result.info.threads];
      peak = std::max(peak, result.info.peak);
    }
  }
  if (table.empty()) return;
  table_heading(
      context, report,
      tr("Training steps (forward, backward, AdamW), fovea: median of {0} interleaved rounds, ± half the "
         "interquartile range. PyTorch: × as long as fovea",
         rounds_text(report)));
  for (const auto& [threads, peak] : peaks) {
    context.line(context.say(tr("FMA peak on {0} threads: {1:.1f} GFLOP/s", threads, peak)));
  }
  table.print(context);
}

}  // namespace fovea::command
