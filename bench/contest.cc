#include "contest.h"

#include <fmt/format.h>

#include "fovea/build_info.h"
#include "machine/clock.h"
#include "machine/machine.h"
#include "machine/memory_use.h"

namespace fovea::bench {
namespace {

Measurement checked(const Contender& contender, Tensor& outcome) {
  Measurement measurement;
  measurement.competitor = contender.competitor;
  measurement.path = contender.preparation.text;
  measurement.status = Status::cannot;
  measurement.message = contender.preparation.text;
  if (!contender.preparation.able) return measurement;
  try {
    Checked result = contender.check();
    measurement.extra_memory = result.extra_memory;
    outcome = std::move(result.results.front());
    measurement.status = Status::measured;
    measurement.message.clear();
  } catch (const std::exception& error) {
    set_failure(measurement, error);
  }
  return measurement;
}

}  // namespace

Contender local_contender(const std::string& competitor, const std::string& path,
                          const std::function<Tensor()>& call) {
  return {competitor,
          {true, path},
          [call] {
            Checked result;
            result.extra_memory = extra_memory_of([&] { result.results.push_back(call()); });
            return result;
          },
          [call](double seconds) { return time_calls([&] { static_cast<void>(call()); }, seconds); }};
}

ScenarioResult run_contest(const std::string& group, std::vector<ContestCase> cases,
                           const RoundLimits& limits, const std::function<void(int)>& tell,
                           std::vector<std::string>& mistakes) {
  ScenarioResult scenario{group, {}};
  scenario.cases.reserve(cases.size());  // entries point into it
  std::vector<Entry> entries;
  for (ContestCase& each : cases) {
    CaseResult& result = scenario.cases.emplace_back(CaseResult{each.info, {}});
    std::vector<Tensor> outcomes(each.contenders.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      result.measurements.push_back(checked(each.contenders[i], outcomes[i]));
    }
    each.judge(outcomes, result.measurements);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      Measurement& measurement = result.measurements[i];
      if (measurement.status == Status::measured) {
        entries.push_back({std::move(each.contenders[i].run), &measurement});
      } else if (measurement.competitor.starts_with("fovea")) {
        mistakes.push_back(fmt::format("{}: {}", each.info.id, measurement.message));
      }
    }
  }
  run_rounds(entries, limits, tell);
  return scenario;
}

Report begin_report(const Options& options) {
  const BuildInfo build = build_info();
  Report report;
  report.machine = describe_machine();
  report.machine.clock = clock_gigahertz(report.machine.threads, 5);
  report.version = build.version;
  report.compiler = build.compiler + " (" + build.build + ")";
  report.rounds = options.rounds.value_or(9);
  return report;
}

}  // namespace fovea::bench
