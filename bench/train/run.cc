// Training steps: the first losses are compared, then rounds in which everybody takes steps in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/instruction_set.h"
#include "fovea/threads.h"
#include "fovea/version.h"
#include "machine/fma_peak.h"
#include "machine/read_bandwidth.h"
#include "train/cases.h"

namespace fovea::bench {
namespace {

// Some steps of the largest model, so that the others' parameters have left the cache.
constexpr double kTrainingTurnSeconds = 0.3;

// Float32 sums in another order move a loss by 1e-6; 20 steps of AdamW carry that on. A wrong gradient
// moves it by more than this in the second step.
constexpr double kLossTolerance = 1e-4;

// Everybody's losses are compared with PyTorch's, where it is there; they are numbers in any case.
void judge_losses(const std::vector<Tensor>& outcomes, std::vector<Measurement>& measurements) {
  const Tensor* want = nullptr;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (measurements[i].competitor == "pytorch" && !outcomes[i].empty()) want = &outcomes[i];
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].empty()) continue;
    Errors errors;
    double squares = 0, wanted = 0;
    for (Index step = 0; step < kComparedSteps; ++step) {
      const auto got = static_cast<double>(outcomes[i](step));
      const double w = want == nullptr ? got : static_cast<double>((*want)(step));
      const double error = std::isfinite(got) && std::isfinite(w) ? std::abs(got - w) : INFINITY;
      errors.max = std::max(errors.max, error);
      squares += error * error, wanted += w * w;
    }
    errors.relative_l2 = std::isfinite(squares) ? std::sqrt(squares / wanted) : INFINITY;
    if (want != nullptr) measurements[i].errors = errors;
    if (errors.relative_l2 <= kLossTolerance) continue;
    measurements[i].status = Status::wrong;
    measurements[i].message =
        fmt::format("losses of the first {} steps differ by {:.1e}, relative L2 {:.1e}", kComparedSteps,
                    errors.max, errors.relative_l2);
  }
}

class TrainingRunner {
 public:
  explicit TrainingRunner(const Options& options)
      : options_(options),
        threads_(thread_count()),
        peers_(options.python, threads_),
        report_(begin_report(options)) {
    report_.python = options.python;
    report_.competitors.push_back({"fovea", "fovea", fmt::format("fovea {}", version()),
                                   fmt::format("{}, 1 and {} threads", instruction_set(), threads_), false,
                                   ""});
    for (const CompetitorInfo& info : peers_.competitors()) report_.competitors.push_back(info);
  }
  ~TrainingRunner() { set_thread_count(threads_); }
  TrainingRunner(const TrainingRunner&) = delete;
  TrainingRunner& operator=(const TrainingRunner&) = delete;

  Report run() {
    const std::set<int> thread_counts = {1, threads_};
    report_.machine.bandwidth = read_bandwidth(std::clamp(report_.rounds, 1, 5));
    where_.rounds = report_.rounds;
    where_.scenarios = static_cast<int>(thread_counts.size() * training_cases(options_.wanted, 1).size());
    for (const int threads : thread_counts) {
      for (const TrainingCase& c : training_cases(options_.wanted, threads)) measure(c);
    }
    return std::move(report_);
  }

 private:
  // One scenario each: rounds of a large model would be few if the small one's had to wait for them.
  void measure(const TrainingCase& c) {
    set_thread_count(c.info.threads);
    ++where_.scenario;
    where_.round = 0, where_.label = c.info.label;
    tell();
    std::vector<ContestCase> contest;
    contest.push_back({c.info, {training_by_fovea(c)}, judge_losses});
    for (Contender& peer : peers_.contenders(c, where_.scenario)) {
      contest.back().contenders.push_back(std::move(peer));
    }
    const int peak_runs = std::clamp(report_.rounds, 1, 10);
    double peak = fma_peak(c.info.threads, peak_runs);
    const auto tell_round = [this](int round) {
      where_.round = round;
      tell();
    };
    ScenarioResult result =
        run_contest("train", std::move(contest), {report_.rounds, options_.seconds, kTrainingTurnSeconds},
                    tell_round, report_.mistakes);
    peak = std::max(peak, fma_peak(c.info.threads, peak_runs));  // hosts are shared: the best seen
    result.cases.front().info.peak = peak;
    report_.machine.peak = std::max(report_.machine.peak, peak);
    report_.scenarios.push_back(std::move(result));
    peers_.release();
  }

  void tell() const {
    if (options_.progress) options_.progress(where_);
  }

  const Options& options_;
  const int threads_;
  TrainingPeers peers_;
  Report report_;
  Progress where_;
};

}  // namespace

Report run_training(const Options& options) { return TrainingRunner(options).run(); }

}  // namespace fovea::bench
