// The runner: prepare, verify, then rounds in which everybody runs in turn.
#include <fmt/format.h>

#include <algorithm>

#include "competitors/competitor.h"
#include "contest.h"
#include "fovea/threads.h"
#include "machine/clock.h"
#include "machine/fma_peak.h"
#include "machine/machine.h"
#include "machine/read_bandwidth.h"
#include "rounds.h"
#include "verify.h"

namespace fovea::bench {
namespace {

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options), report_(begin_report(options)) {}

  Report run() {
    const std::vector<Scenario> scenarios = chosen_scenarios(options_.wanted);
    tell({0, static_cast<int>(scenarios.size()), 0, 0, {"measuring the machine", "测量机器"}});
    gather(scenarios);
    measure_peak(std::clamp(report_.rounds, 5, 20));
    measure_bandwidth();
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      where_ = {static_cast<int>(i) + 1, static_cast<int>(scenarios.size()), 0, 0, {}};
      report_.scenarios.push_back(measure(scenarios[i]));
      measure_peak(std::clamp(report_.rounds, 1, 3));
    }
    measure_bandwidth();
    return std::move(report_);
  }

 private:
  void tell(const Progress& progress) const {
    if (options_.progress) options_.progress(progress);
  }

  // Hosts are shared: the best seen is nearest to what the machine can do.
  void measure_peak(int runs) {
    report_.machine.peak = std::max(report_.machine.peak, fma_peak(thread_count(), runs));
    report_.machine.clock = std::max(report_.machine.clock, clock_gigahertz(thread_count(), runs));
  }
  void measure_bandwidth() {
    const int runs = std::clamp(report_.rounds, 1, 9);
    report_.machine.bandwidth = std::max(report_.machine.bandwidth, read_bandwidth(runs));
  }

  void gather(const std::vector<Scenario>& scenarios) {
    all_.push_back(make_fovea());
    if (!options_.before.empty()) all_.push_back(make_before(options_.before, thread_count()));
    const auto anybody = [&](const char* name) {
      return std::any_of(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) {
        return std::any_of(scenario.cases.begin(), scenario.cases.end(),
                           [&](const Case& c) { return asked(c, name); });
      });
    };
    std::vector<CompetitorInfo> absent;
    if (anybody("fovea_bf16")) all_.push_back(make_fovea_bfloat16());
    if (anybody("blas")) {
      std::string reason;
      if (auto blas = make_blas(reason)) {
        all_.push_back(std::move(blas));
      } else {
        absent.push_back({"blas", "BLAS + softmax", "", "", true, reason});
      }
    }
    if (anybody("pytorch")) {
      Peers peers = make_peers(options_.python, thread_count());
      for (auto& peer : peers.present) all_.push_back(std::move(peer));
      absent.insert(absent.end(), peers.absent.begin(), peers.absent.end());
      report_.python = peers.python;
    }
    if (anybody("read")) all_.push_back(make_read());
    for (const auto& competitor : all_) report_.competitors.push_back(competitor->info());
    report_.competitors.insert(report_.competitors.end(), absent.begin(), absent.end());
  }

  static bool asked(const Case& c, const std::string& competitor) {
    // Another fovea is asked where this one is.
    const std::string& name = competitor == "before" ? "fovea" : competitor;
    return c.competitors.empty() ||
           std::find(c.competitors.begin(), c.competitors.end(), name) != c.competitors.end();
  }

  ScenarioResult measure(const Scenario& scenario) {
    ScenarioResult result{scenario.group, {}};
    where_.label = info_of(scenario.cases.back()).label;
    tell(where_);
    const std::vector<Problem> problems = problems_of(scenario);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      result.cases.push_back({problems[i].info, {}});
      verify(problems[i], static_cast<int>(i), result.cases.back());
    }
    std::vector<Entry> entries = entries_of(result);
    where_.rounds = options_.rounds.value_or(scenario.rounds);
    run_rounds(entries, {where_.rounds, options_.seconds}, [this](int round) {
      where_.round = round;
      tell(where_);
    });
    for (const auto& competitor : all_) {
      try {
        competitor->release();
      } catch (const Error&) {  // it has gone; every entry of it says so
      }
    }
    return result;
  }

  // Those who can go on.
  std::vector<Entry> entries_of(ScenarioResult& result) const {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < result.cases.size(); ++i) {
      for (Measurement& measurement : result.cases[i].measurements) {
        if (measurement.status != Status::measured) continue;
        Competitor* competitor = nullptr;
        for (const auto& each : all_) {
          if (each->info().id == measurement.competitor) competitor = each.get();
        }
        entries.push_back({[competitor, number = static_cast<int>(i)](double seconds) {
                             return competitor->run(number, seconds);
                           },
                           &measurement});
      }
    }
    return entries;
  }

  // Prepares everybody for the case and compares one result of each with the reference.
  void verify(const Problem& problem, int number, CaseResult& result) {
    const Expected expected = expected_of(problem);
    for (const auto& competitor : all_) {
      const std::string id = competitor->info().id;
      if (!asked(problem.spec, id) || !competitor->concerned(problem)) continue;
      Measurement measurement;
      measurement.competitor = id;
      measurement.inputs = to_string(competitor->inputs());
      measurement.tolerance = looser(tolerance_of(competitor->inputs()), tolerance_of(problem.stored()));
      try {
        check(*competitor, number, problem, expected, measurement);
      } catch (const std::exception& error) {
        set_failure(measurement, error);
      }
      result.measurements.push_back(measurement);
      if (id.starts_with("fovea") &&
          (measurement.status == Status::wrong || measurement.status == Status::failed)) {
        report_.mistakes.push_back(fmt::format("{}: {}", problem.info.id, measurement.message));
      }
    }
  }

  static Tolerance looser(const Tolerance& a, const Tolerance& b) {
    return {std::max(a.max, b.max), std::max(a.relative_l2, b.relative_l2)};
  }

  static void check(Competitor& competitor, int number, const Problem& problem, const Expected& expected,
                    Measurement& measurement) {
    const Preparation preparation = competitor.prepare(number, problem);
    if (!preparation.able) {
      measurement.status = Status::cannot;
      measurement.message = preparation.text;
      return;
    }
    measurement.path = preparation.text;
    const Checked checked = competitor.check(number);
    measurement.extra_memory = checked.extra_memory;
    if (!checked.path.empty()) measurement.path = checked.path;
    measurement.status = Status::measured;
    if (checked.results.empty() || expected.empty()) return;
    measurement.errors = errors_of(expected, checked.results);
    if (acceptable(*measurement.errors, expected, measurement.tolerance)) return;
    measurement.status = Status::wrong;
    measurement.message = fmt::format("differs from the reference by {:.1e}, relative L2 {:.1e}",
                                      measurement.errors->max, measurement.errors->relative_l2);
  }

  const Options& options_;
  Report report_;
  Progress where_;
  std::vector<std::unique_ptr<Competitor>> all_;
};

}  // namespace

Report run(const Options& options) { return Runner(options).run(); }

}  // namespace fovea::bench
