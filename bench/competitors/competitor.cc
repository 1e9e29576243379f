#include "competitors/competitor.h"

#include <algorithm>
#include <chrono>

#include "machine/memory_use.h"

namespace fovea::bench {

Preparation LocalCompetitor::prepare(int number, const Problem& problem) {
  std::string text;
  Call call = call_for(problem, text);
  if (!call) return {false, text};
  calls_[number] = std::move(call);
  return {true, text};
}

Checked LocalCompetitor::check(int number) {
  Checked checked;
  checked.extra_memory = extra_memory_of([&] { checked.results = calls_.at(number)(); });
  return checked;
}

double LocalCompetitor::run(int number, double seconds) {
  const Call& call = calls_.at(number);
  std::vector<double> times;
  double sum = 0;
  while (times.empty() || sum < seconds) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Tensor> results = call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace fovea::bench
