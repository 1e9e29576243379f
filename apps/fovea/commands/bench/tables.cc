#include "commands/bench/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "fovea/render.h"
#include "output/layout.h"

namespace fovea::command {

using bench::CaseResult;
using bench::Measurement;
using bench::Report;
using bench::ScenarioResult;
using bench::Status;

void AlignedTable::print(const Context& context) const {
  std::vector<int> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i == 0 ? pad_right(row[i], widths[i]) : "  " + pad_left(row[i], widths[i]);
    }
    context.line(&row == &rows_.front() ? bold(line, context.color) : line);
  }
  context.line();
}

void table_heading(const Context& context, const Report& report, const Message& title) {
  const bench::Machine& machine = report.machine;
  context.subheading(title);
  // Models, products and training steps run on one thread and on all: their rows say on how many.
  const bool by_row = !report.scenarios.empty() && report.scenarios.front().cases.front().info.threads > 0;
  context.line(by_row ? fmt::format("{}, {}", machine.processor, machine.instruction_set)
                      : context.say(tr("{0}, {1}, threads: {2}", machine.processor, machine.instruction_set,
                                       machine.threads)));
}

std::string milliseconds(double seconds) {
  const double ms = seconds * 1e3;
  return fmt::format("{:.{}f} ms", ms, ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : 3);
}

std::string times(double ratio) {
  return fmt::format("{:.{}f}×", ratio, ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2);
}

namespace {

const char* const kNone = "–";

// Columns of the others, in this order, as far as they were there.
std::vector<std::pair<std::string, std::string>> columns_of(const Report& report, bool with_fovea) {
  std::vector<std::pair<std::string, std::string>> columns;
  if (with_fovea) columns.emplace_back("fovea", "fovea");
  for (const auto& [id, title] : {std::pair{"fovea_plain", "plain"},
                                  {"before", "before"},
                                  {"fovea_bf16", "fovea bf16"},
                                  {"blas", "BLAS"},
                                  {"pytorch", "PyTorch"},
                                  {"pytorch_bf16", "PyTorch bf16"},
                                  {"compiled", "compiled"},
                                  {"attentions", "attentions"},
                                  {"onnxruntime", "ONNX R."}}) {
    const bench::CompetitorInfo* info = report.competitor(id);
    if (info != nullptr && !info->absent) columns.emplace_back(id, title);
  }
  return columns;
}

// Bases stand in several scenarios; where times do not matter, each case is told once, the fullest one.
std::vector<const CaseResult*> distinct_cases(const Report& report) {
  std::vector<const CaseResult*> cases;
  for (const ScenarioResult& scenario : report.scenarios) {
    for (const CaseResult& result : scenario.cases) {
      const auto same = std::find_if(cases.begin(), cases.end(), [&](const CaseResult* other) {
        return other->info.id == result.info.id;
      });
      if (same == cases.end()) {
        cases.push_back(&result);
      } else if (result.measurements.size() > (*same)->measurements.size()) {
        *same = &result;
      }
    }
  }
  return cases;
}

template <typename Visit>
void for_each_case(const Report& report, const Visit& visit) {
  for (const ScenarioResult& scenario : report.scenarios) {
    for (std::size_t i = 0; i < scenario.cases.size(); ++i) visit(scenario, i, scenario.cases[i]);
  }
}

bool timed(const Measurement* measurement) {
  return measurement != nullptr && measurement->status == Status::measured && measurement->times.rounds > 0;
}

// Why there is no figure: "wrong", "failed" and a death are worth a word.
std::string missing(const Context& context, const Measurement* measurement) {
  if (measurement == nullptr || measurement->status == Status::cannot) return kNone;
  if (measurement->status == Status::wrong) return context.say(tr("wrong"));
  if (measurement->status == Status::died) return context.say(tr("died: {0}", measurement->death));
  return context.say(tr("failed"));
}

void print_machine(const Context& context, const Report& report) {
  const auto entry = [&](const std::string& name, const std::string& value) {
    context.entry(name, value, 24);
  };
  const bench::Machine& machine = report.machine;
  entry(context.say(tr("machine")), context.say(tr("{0}, {1} of {2} processors, {3}", machine.processor,
                                                   std::min(machine.threads, machine.processors),
                                                   machine.processors, machine.instruction_set)));
  entry(context.say(tr("limits")),
        context.say(
            tr("FMA peak {0:.1f} GFLOP/s, plain read {1:.1f} GB/s, clock {2:.2f} GHz, all measured now",
               machine.peak, machine.bandwidth, machine.clock)));
  if (machine.load > 0.5 * machine.processors) {
    entry(context.say(tr("disturbed")),
          context.say(
              tr("load average {0:.1f} before the run: the machine is busy, so medians are less reliable",
                 machine.load)));
  }
  bool hint = false;
  for (const bench::CompetitorInfo& info : report.competitors) {
    if (info.absent) {
      hint = hint || info.reason != bench::kNotAskedFor;
      entry(info.name, context.say(tr("absent: {0}", info.reason)));
    } else if (info.id != "read") {
      entry(info.name,
            info.detail.empty() ? info.version : fmt::format("{} ({})", info.version, info.detail));
    }
  }
  if (hint) {
    entry("", context.say(
                  tr("make bench-deps installs what is missing; --python PATH selects a Python that has "
                     "it")));
  }
  context.line();
}

void print_speed(const Context& context, const Report& report) {
  const auto others = columns_of(report, false);
  std::vector<std::string> titles = {"(B,H,N,D)", context.say(tr("time")),    "±",
                                     "GFLOP/s",   context.say(tr("of peak")), context.say(tr("cycles"))};
  for (const auto& [id, title] : others) titles.push_back(title);
  AlignedTable table(titles);
  for_each_case(report, [&](const ScenarioResult&, std::size_t, const CaseResult& result) {
    if (is_model_case(result) || is_product_case(result) || is_training_case(result)) return;
    std::vector<std::string> row = {context.say(result.info.label)};
    const Measurement* ours = result.by("fovea");
    if (timed(ours)) {
      const bench::Times& t = ours->times;
      const double gflops = result.info.flops / t.median / 1e9;
      row.push_back(milliseconds(t.median));
      row.push_back(fmt::format("{:.1f} %", 50 * (t.third_quartile - t.first_quartile) / t.median));
      row.push_back(fmt::format("{:.1f}", gflops));
      row.push_back(fmt::format("{:.1f} %", 100 * gflops / report.machine.peak));
      const auto cycles = cycles_per_16_scores(result.info, *ours, report.machine);
      row.push_back(cycles ? fmt::format("{:.1f}", *cycles) : kNone);
    } else {
      row.insert(row.end(), {missing(context, ours), kNone, kNone, kNone, kNone});
    }
    for (const auto& [id, title] : others) {
      const auto ratio = ratio_to_fovea(result, id);
      row.push_back(ratio ? times(*ratio)
                          : missing(context, timed(result.by(id)) ? nullptr : result.by(id)));
    }
    table.add(row);
  });
  if (table.empty()) return;
  table_heading(
      context, report,
      tr("fovea: median of {0} interleaved rounds, ± half the interquartile range. Cycles: per 16 scores and "
         "thread. Others: multiples of fovea's time",
         rounds_text(report)));
  table.print(context);
}

void print_relative(const Context& context, const Report& report) {
  AlignedTable table({context.say(tr("compared with the base")), context.say(tr("base")),
                      context.say(tr("visible")), context.say(tr("time / base")),
                      context.say(tr("/ visible share")), context.say(tr("as fast"))});
  for_each_case(report, [&](const ScenarioResult& scenario, std::size_t i, const CaseResult& result) {
    const auto ratio = ratio_to_base(scenario, i);
    if (!ratio) return;
    const bool partly = result.info.visible < 1;
    const Measurement* base = scenario.cases[static_cast<std::size_t>(result.info.base)].by("fovea");
    table.add({context.say(result.info.label), milliseconds(base->times.median),
               partly ? fmt::format("{:.2f} %", 100 * result.info.visible) : "100 %",
               fmt::format("{:.3f}", *ratio),
               partly ? fmt::format("{:.2f}", *ratio / result.info.visible) : kNone, times(1 / *ratio)});
  });
  if (table.empty()) return;
  table_heading(context, report,
                tr("Relative to the same case without mask, dropout etc., in the same rounds"));
  table.print(context);
}

void print_reading(const Context& context, const Report& report) {
  AlignedTable table({context.say(tr("decoding")), context.say(tr("read from")), context.say(tr("time")),
                      "GB/s", context.say(tr("plain read")), context.say(tr("of plain read"))});
  for_each_case(report, [&](const ScenarioResult&, std::size_t, const CaseResult& result) {
    const Measurement *ours = result.by("fovea"), *read = result.by("read");
    if (!timed(ours) || !timed(read)) return;
    table.add({context.say(result.info.label),
               context.say(result.info.read_from == "memory" ? tr("memory") : tr("cache")),
               milliseconds(ours->times.median),
               fmt::format("{:.1f}", result.info.bytes / ours->times.median / 1e9),
               milliseconds(read->times.median),
               fmt::format("{:.1f} %", 100 * read->times.median / ours->times.median)});
  });
  if (table.empty()) return;
  table_heading(
      context, report,
      tr("Against a plain read of all keys and values; both from memory (copies used in turn), or both from cache"));
  table.print(context);
}

// One row per case and one column per competitor; `cell` gives the text and whether it says something. Rows
// that say nothing are left out.
struct Cell {
  std::string text;
  bool known;
};
template <typename CellOf>
AlignedTable table_by_competitor(const Context& context, const Report& report, const std::string& corner,
                                 const CellOf& cell) {
  const auto columns = columns_of(report, true);
  std::vector<std::string> titles = {corner};
  for (const auto& [id, title] : columns) titles.push_back(title);
  AlignedTable table(titles);
  for (const CaseResult* result : distinct_cases(report)) {
    std::vector<std::string> row = {context.say(result->info.label)};
    bool any = false;
    for (const auto& [id, title] : columns) {
      const Cell value = cell(result->by(id));
      row.push_back(value.text);
      any = any || value.known;
    }
    if (any) table.add(row);
  }
  return table;
}

void print_errors(const Context& context, const Report& report) {
  const std::string corner = context.say(tr("largest error, relative L2"));
  const AlignedTable table =
      table_by_competitor(context, report, corner, [&](const Measurement* measurement) -> Cell {
        if (measurement == nullptr || !measurement->errors) {
          return {missing(context, timed(measurement) ? nullptr : measurement), false};
        }
        return {fmt::format("{:.1e} {:.1e}", measurement->errors->max, measurement->errors->relative_l2),
                true};
      });
  if (table.empty()) return;
  const CaseResult& first = *distinct_cases(report).front();
  table_heading(context, report,
                is_training_case(first) ? tr("Losses of the first 20 steps: differences from PyTorch")
                : is_model_case(first)  ? tr("Differences from PyTorch")
                                        : tr("Errors against the double reference"));
  table.print(context);
}

void print_memory(const Context& context, const Report& report) {
  const AlignedTable table =
      table_by_competitor(context, report, "MB", [](const Measurement* measurement) -> Cell {
        if (!timed(measurement) || !measurement->extra_memory) return {kNone, false};
        return {fmt::format("{:.1f}", *measurement->extra_memory / 1e6), true};
      });
  if (table.empty()) return;
  table_heading(
      context, report,
      is_training_case(*distinct_cases(report).front())
          ? tr("Memory of the first 20 steps: peak above the level before, with parameters, gradients and "
               "moments")
          : tr("Memory of one call: peak above the level before the call, result included"));
  table.print(context);
}

// What was wrong or failed, each once.
void print_notes(const Context& context, const Report& report) {
  std::set<std::string> said;
  for_each_case(report, [&](const ScenarioResult&, std::size_t, const CaseResult& result) {
    for (const Measurement& each : result.measurements) {
      if (each.status != Status::wrong && each.status != Status::failed && each.status != Status::died) {
        continue;
      }
      const std::string note = fmt::format("✗ {}, {}: {}", report.competitor(each.competitor)->name,
                                           context.say(result.info.label), one_line(each.message));
      if (said.insert(note).second) context.line(wrapped(note, context.width, 2));
    }
  });
  if (!said.empty()) context.line();
}

}  // namespace

std::string rounds_text(const Report& report) {
  int least = 0, most = 0;
  for_each_case(report, [&](const ScenarioResult&, std::size_t, const CaseResult& result) {
    const Measurement* ours = result.by("fovea");
    if (!timed(ours)) return;
    least = most == 0 ? ours->times.rounds : std::min(least, ours->times.rounds);
    most = std::max(most, ours->times.rounds);
  });
  return least == most ? fmt::format("{}", most) : fmt::format("{}–{}", least, most);
}

void print_bench_list(const Context& context, const std::vector<bench::ScenarioInfo>& scenarios) {
  for (const bench::GroupInfo& each : bench::groups()) {
    const bool wanted = std::any_of(scenarios.begin(), scenarios.end(),
                                    [&](const bench::ScenarioInfo& s) { return s.group == each.name; });
    const bool alone =
        each.name == "show" || each.name == "models" || each.name == "products" || each.name == "train";
    if (!wanted && !alone) continue;
    context.line(bold(pad_right(each.name, 12), context.color) + context.say(each.what));
    for (const bench::ScenarioInfo& scenario : scenarios) {
      if (scenario.group != each.name) continue;
      for (const bench::CaseInfo& info : scenario.cases) {
        context.line(fmt::format("  {}  {}", pad_right(info.id, 44), context.say(info.label)));
      }
    }
  }
}

void print_bench_report(const Context& context, const Report& report) {
  print_machine(context, report);
  print_linear_comparison(context, report);
  print_speed(context, report);
  print_models(context, report);
  print_products(context, report);
  print_training(context, report);
  print_relative(context, report);
  print_reading(context, report);
  print_errors(context, report);
  print_memory(context, report);
  print_notes(context, report);
}

}  // namespace fovea::command
