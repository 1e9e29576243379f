// Softmax against linear attention, as the tutorials compare them: B = 8, n = 1024, d = 64 over 100 runs.
#include <fmt/core.h>

#include <algorithm>

#include "commands/bench/tables.h"

namespace fovea::command {
namespace {

struct Pair {
  Index n;
  bench::Times softmax, linear;
  double ratio() const { return softmax.median / linear.median; }
};

// The scenarios that time both at the same n.
std::vector<Pair> pairs_of(const bench::Report& report) {
  std::vector<Pair> pairs;
  for (const bench::ScenarioResult& scenario : report.scenarios) {
    if (scenario.group != "linear" || scenario.cases.size() != 2) continue;
    const bench::Measurement *softmax = scenario.cases[0].by("fovea"),
                             *linear = scenario.cases[1].by("fovea");
    if (softmax == nullptr || linear == nullptr || softmax->times.rounds == 0 || linear->times.rounds == 0)
      continue;
    pairs.push_back({scenario.cases[0].info.queries, softmax->times, linear->times});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.n < b.n; });
  return pairs;
}

void print_comparison(const Context& context, const bench::Report& report, const Pair& pair) {
  table_heading(context, report,
                tr("Softmax against linear attention: B = 8, n = {0}, d = 64, {1} alternating runs", pair.n,
                   pair.softmax.rounds));
  AlignedTable table({"", context.say(tr("median")), context.say(tr("mean"))});
  table.add({"softmax", milliseconds(pair.softmax.median), milliseconds(pair.softmax.mean)});
  table.add({context.say(tr("linear")), milliseconds(pair.linear.median), milliseconds(pair.linear.mean)});
  table.add({context.say(tr("ratio")), times(pair.ratio()), times(pair.softmax.mean / pair.linear.mean)});
  table.print(context);
}

void print_growth(const Context& context, const bench::Report& report, const std::vector<Pair>& pairs) {
  table_heading(context, report, tr("How both grow with n (B = 8, d = 64; ×: relative to half the n)"));
  AlignedTable table({"n", "softmax", "×", context.say(tr("linear")), "×", context.say(tr("ratio"))});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool doubled = i > 0 && pairs[i].n == 2 * pairs[i - 1].n;
    const auto growth = [&](double now, double before) {
      return doubled ? times(now / before) : std::string("–");
    };
    const Pair& before = pairs[i > 0 ? i - 1 : 0];
    table.add({fmt::format("{}", pairs[i].n), milliseconds(pairs[i].softmax.median),
               growth(pairs[i].softmax.median, before.softmax.median), milliseconds(pairs[i].linear.median),
               growth(pairs[i].linear.median, before.linear.median), times(pairs[i].ratio())});
  }
  table.print(context);
}

}  // namespace

void print_linear_comparison(const Context& context, const bench::Report& report) {
  const std::vector<Pair> pairs = pairs_of(report);
  if (pairs.size() < 2) return;  // one alone stands in the other tables
  for (const Pair& pair : pairs) {
    if (pair.n == 1024) print_comparison(context, report, pair);
  }
  print_growth(context, report, pairs);
}

}  // namespace fovea::command
