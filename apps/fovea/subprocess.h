// Running another program and waiting for it.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace fovea::command {

struct ProgramResult {
  int exit_code = 0;  // 127: it was not found; 128 + n: ended by signal n
  std::string out;    // its standard output; standard error is ours
};

// The program is looked for in PATH; its arguments are passed as they are, no shell reads them. Standard
// input is empty. Throws Error if it cannot be started. When a stop is requested, the program and those
// that it started are ended by SIGTERM; Ctrl-C in our terminal does not reach them then.
ProgramResult run_program(const std::vector<std::string>& words, const std::stop_token& stop = {});

// Starts a program that goes on by itself, without our terminal and streams. False: it was not found.
bool start_program(const std::vector<std::string>& words);

}  // namespace fovea::command
