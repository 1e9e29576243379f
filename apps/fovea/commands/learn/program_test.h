// A learner's program, run on the inputs of an exercise.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "fovea/exercises.h"
#include "limited_program.h"
#include "texts/message.h"

namespace fovea::command {

struct ProgramTest {
  Diagnosis diagnosis;  // where there were numbers
  bool has_numbers = false;
  std::string failure;  // "": none; "crash", "time", "memory", "output", "empty", "format", ..
  Message failure_sentence = {};
  std::size_t failed_input = 0;  // counted from 0
  bool differs = false;          // two runs on the same input did not agree
  std::vector<double> seconds;   // per input that was run
  std::string err;               // standard error of the first input that failed, else of the first

  bool correct() const { return failure.empty() && !differs && has_numbers && diagnosis.correct(); }
  bool understood() const { return failure != "missing" && failure != "not_run"; }
};

struct ProgramTestOptions {
  std::chrono::milliseconds time{10'000};
  CheckOptions check = {};
};

// One process per input, and one more to see whether it says the same again. Throws Stopped.
ProgramTest test_program(const Exercise& exercise, const std::vector<std::string>& command,
                         const ProgramTestOptions& options);

}  // namespace fovea::command
