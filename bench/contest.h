// Cases that several contenders solve: one result of each is judged, then all run in turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "competitors/competitor.h"
#include "rounds.h"

namespace fovea::bench {

// Somebody's way to solve one case.
struct Contender {
  std::string competitor;
  Preparation preparation;
  std::function<Checked()> check;     // one result, and the memory of the call
  std::function<double(double)> run;  // as Entry::run
};

// One that runs in this process. The call gives its result, so that nothing but what a user waits for is
// timed.
Contender local_contender(const std::string& competitor, const std::string& path,
                          const std::function<Tensor()>& call);

struct ContestCase {
  CaseInfo info;
  std::vector<Contender> contenders;
  // Judges the results, one per contender, empty where there is none: sets errors and status.
  std::function<void(const std::vector<Tensor>&, std::vector<Measurement>&)> judge;
};

// A result of fovea that is wrong or missing is added to `mistakes`. `tell` hears of each round.
ScenarioResult run_contest(const std::string& group, std::vector<ContestCase> cases,
                           const RoundLimits& limits, const std::function<void(int)>& tell,
                           std::vector<std::string>& mistakes);

// Machine, version, compiler and rounds.
Report begin_report(const Options& options);

}  // namespace fovea::bench
