#include "competitors/competitor.h"

#include "machine/memory_use.h"
#include "rounds.h"

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
  return time_calls([&] { static_cast<void>(call()); }, seconds);
}

}  // namespace fovea::bench
