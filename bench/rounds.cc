#include "rounds.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "competitors/peer_process.h"

namespace fovea::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Between turns, so that threads of the one before have stopped spinning (libgomp does for some
// milliseconds).
constexpr auto kPause = std::chrono::milliseconds(15);
constexpr int kLeastRounds = 3;

Times summarise(std::vector<double> seconds) {
  Times times;
  if (seconds.empty()) return times;
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double q) {  // linear between neighbours, as NumPy does it
    const double at = q * static_cast<double>(seconds.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (at - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  times.rounds = static_cast<int>(seconds.size());
  times.median = quantile(0.5), times.first_quartile = quantile(0.25),
  times.third_quartile = quantile(0.75);
  times.min = seconds.front();
  times.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  return times;
}

}  // namespace

void run_rounds(std::vector<Entry>& entries, const RoundLimits& limits,
                const std::function<void(int)>& tell) {
  const auto start = Clock::now();
  for (int round = 1; round <= limits.rounds; ++round) {
    tell(round);
    for (Entry& entry : entries) {
      std::this_thread::sleep_for(kPause);
      if (entry.measurement->status != Status::measured) continue;
      try {
        entry.seconds.push_back(entry.run(limits.turn_seconds));
      } catch (const std::exception& error) {
        set_failure(*entry.measurement, error);
      }
    }
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (limits.seconds > 0 && round >= kLeastRounds && passed.count() > limits.seconds) break;
  }
  for (Entry& entry : entries) entry.measurement->times = summarise(std::move(entry.seconds));
}

void set_failure(Measurement& measurement, const std::exception& error) {
  const auto* death = dynamic_cast<const PeerDied*>(&error);
  measurement.status = death != nullptr ? Status::died : Status::failed;
  measurement.death = death != nullptr ? death->how() : "";
  measurement.message = error.what();
}

double time_calls(const std::function<void()>& call, double seconds) {
  std::vector<double> times;
  double sum = 0;
  while (times.empty() || sum < seconds) {
    const auto start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace fovea::bench
