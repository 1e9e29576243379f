// Rounds in which everybody runs in turn.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include "benchmark.h"

namespace fovea::bench {

// One competitor of one case.
struct Entry {
  std::function<double(double)> run;  // calls for so many seconds, at least one: the median of their times
  Measurement* measurement;           // gets the times, or what went wrong
  std::vector<double> seconds = {};
};

struct RoundLimits {
  int rounds = 9;
  double seconds = 30;  // ends after the third round when this has passed; 0: never
  // Short calls are repeated within a turn: one alone would mostly measure how threads wake up.
  double turn_seconds = 0.01;
};

// `tell` hears of each round before it starts, counted from 1.
void run_rounds(std::vector<Entry>& entries, const RoundLimits& limits,
                const std::function<void(int)>& tell);

// Says in the measurement what went wrong: the competitor died, or failed.
void set_failure(Measurement& measurement, const std::exception& error);

// Calls for so many seconds, at least once: the median of their times.
double time_calls(const std::function<void()>& call, double seconds);

}  // namespace fovea::bench
