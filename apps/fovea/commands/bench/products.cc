// The tables of `fovea bench products`.
#include <fmt/format.h>

#include <map>

#include "commands/bench/tables.h"

namespace fovea::command {
namespace {

using bench::CaseResult;
using bench::Measurement;
using bench::Operation;

// The same case on one thread and on all, in this order.
using ByThreads = std::map<int, const CaseResult*>;

std::string name_of(const CaseResult& result) {
  const bench::CaseInfo& info = result.info;
  if (info.operation == Operation::product) {
    return fmt::format("{}×{}×{}", info.queries, info.width, info.keys);
  }
  return fmt::format("{}×{} × {}", info.batch, info.queries, info.width);
}

std::string duration(double seconds) {
  return seconds < 1e-4 ? fmt::format("{:.2f} µs", seconds * 1e6) : milliseconds(seconds);
}

void add_figures(const CaseResult& result, const std::string& competitor, std::vector<std::string>& row) {
  const Measurement* ours = result.by("fovea");
  if (ours == nullptr || ours->times.rounds == 0) {
    row.insert(row.end(), {"–", "–", "–", "–", "–"});
    return;
  }
  const double gflops = result.info.flops / ours->times.median / 1e9;
  const double best = result.info.flops / ours->times.min / 1e9;
  const auto ratio = ratio_to_fovea(result, competitor);
  row.insert(row.end(),
             {duration(ours->times.median), fmt::format("{:.1f}", gflops), fmt::format("{:.1f}", best),
              fmt::format("{:.1f} %", 100 * gflops / result.info.peak), ratio ? times(*ratio) : "–"});
}

void print_table(const Context& context, const bench::Report& report, Operation operation,
                 const std::string& corner, const std::string& competitor, const std::string& title,
                 const Message& heading) {
  std::vector<std::string> names;
  std::map<std::string, ByThreads> cases;
  std::map<int, double> peaks;
  for (const bench::ScenarioResult& scenario : report.scenarios) {
    for (const CaseResult& result : scenario.cases) {
      if (result.info.operation != operation) continue;
      const std::string name = name_of(result);
      if (!cases.contains(name)) names.push_back(name);
      cases[name][result.info.threads] = &result;
      peaks[result.info.threads] = result.info.peak;
    }
  }
  if (names.empty()) return;
  std::vector<std::string> titles = {corner};
  for (const auto& [threads, peak] : peaks) {
    titles.insert(titles.end(), {context.say(tr("{0}t: time", threads)), "GFLOP/s", context.say(tr("best")),
                                 context.say(tr("of peak")), title});
  }
  AlignedTable table(titles);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const auto& [threads, result] : cases[name]) add_figures(*result, competitor, row);
    table.add(row);
  }
  table_heading(context, report, heading);
  for (const auto& [threads, peak] : peaks) {
    context.line(context.say(tr("FMA peak on {0} threads: {1:.1f} GFLOP/s", threads, peak)));
  }
  table.print(context);
}

}  // namespace

bool is_product_case(const CaseResult& result) {
  return result.info.operation == Operation::product || result.info.operation == Operation::multi_head;
}

void print_products(const Context& context, const bench::Report& report) {
  const std::string rounds = rounds_text(report);
  print_table(
      context, report, Operation::product, context.say(tr("rows×inner×columns")), "blas", "OpenBLAS",
      tr("Matrix products, fovea: median and best of {0} interleaved rounds. OpenBLAS: multiples of "
         "fovea's time",
         rounds));
  print_table(context, report, Operation::multi_head, context.say(tr("batch×tokens × width")), "pytorch",
              "PyTorch",
              tr("MultiHeadAttention, forward without weights: median and best of {0} rounds. "
                 "nn.MultiheadAttention: multiples of fovea's time",
                 rounds));
}

}  // namespace fovea::command
