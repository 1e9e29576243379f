// A Python process that computes for the benchmark, in step with it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "fovea/shape.h"

namespace fovea::bench {

// Commands go to its standard input, answers come back as lines of words separated by tabs; arrays go
// through one file in memory that both have open, so that nothing is left behind, however the run ends.
class PeerProcess {
 public:
  using Words = std::vector<std::string>;

  // Throws Error if the program cannot be started.
  PeerProcess(const std::string& python, const std::string& script, int threads);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  Words answer();                         // the next line; throws Error with its last words if it has gone
  Words ask(const std::string& command);  // throws Error if the answer is an error
  void write(Index at, const void* data, Index bytes) const;
  void read(Index at, void* data, Index bytes) const;

 private:
  [[noreturn]] void gone();

  pid_t child_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  int file_ = -1;    // the arrays
  int errors_ = -1;  // what it says on standard error
};

}  // namespace fovea::bench
