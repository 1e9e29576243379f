// How a study goes, in one line on a terminal.
#pragma once

#include <chrono>

#include "fovea/language.h"
#include "fovea/study.h"

namespace fovea::command {

class StudyProgressLine {
 public:
  explicit StudyProgressLine(Language language);
  ~StudyProgressLine();  // leaves an empty line behind, if it wrote on it
  StudyProgressLine(const StudyProgressLine&) = delete;
  StudyProgressLine& operator=(const StudyProgressLine&) = delete;

  void show(const StudyProgress& progress);

 private:
  Language language_;
  bool terminal_;  // is standard error one?
  bool shown_ = false;
  Index first_ = -1;  // texts that were read before this run
};

}  // namespace fovea::command
