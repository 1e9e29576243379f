// Running a program that nobody vouches for: with its input, within limits, and nothing of it stays.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::command {

struct ProgramLimits {
  std::chrono::milliseconds time{10'000};
  std::size_t memory = std::size_t{4} << 30;  // bytes that one process may hold
  std::size_t out = std::size_t{16} << 20;    // bytes of standard output
  std::size_t err = std::size_t{64} << 10;    // bytes of standard error that are kept; the rest is dropped
};

enum class ProgramEnd {
  exited,     // by itself, with exit_code
  killed,     // by a signal that was not ours
  not_found,  // there is no such program
  not_run,    // it is there, but cannot be executed; `reason` says why
  time,       // it ran too long
  memory,     // it asked for more than it may have
  output,     // it wrote too much
  stopped,    // on our own request
};

struct LimitedResult {
  ProgramEnd end = ProgramEnd::exited;
  int exit_code = 0;  // of exited
  int signal = 0;     // of killed
  std::string reason;
  std::string out, err;
  double seconds = 0;
};

// The program is looked for in PATH; no shell reads its arguments. It gets `input` as its standard input
// and a process group of its own. When it has ended, whatever it started and left behind is killed, too.
// Throws Error if the system refuses a process or a pipe.
LimitedResult run_limited(const std::vector<std::string>& words, std::string_view input,
                          const ProgramLimits& limits = {}, const std::stop_token& stop = {});

}  // namespace fovea::command
