// How a training goes, in one line on a terminal.
#pragma once

#include <chrono>
#include <string>

#include "fovea/language.h"
#include "fovea/train.h"

namespace fovea::command {

class TrainingProgress {
 public:
  TrainingProgress(Index first, Index steps, Language language);
  ~TrainingProgress();  // leaves an empty line behind, if it wrote on it
  TrainingProgress(const TrainingProgress&) = delete;
  TrainingProgress& operator=(const TrainingProgress&) = delete;

  bool on_terminal() const { return terminal_; }
  void show(const TrainingStep& step);
  void clear();  // before something else is printed

  double seconds() const;            // since the beginning
  double tokens_per_second() const;  // of all steps so far

 private:
  using Clock = std::chrono::steady_clock;

  Language language_;
  bool terminal_;  // is standard error one?
  bool shown_ = false;
  Index first_, steps_;
  double tokens_ = 0, loss_ = 0;  // the loss runs smoothly
  Clock::time_point start_, last_;
};

}  // namespace fovea::command
