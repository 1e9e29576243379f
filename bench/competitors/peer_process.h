// A process that computes for the benchmark, in step with it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "fovea/error.h"
#include "fovea/shape.h"

namespace fovea::bench {

// The process has ended, by itself or by a signal: whoever computes in it is out of the run.
class PeerDied : public Error {
 public:
  PeerDied(const std::string& message, std::string how) : Error(message), how_(std::move(how)) {}
  const std::string& how() const { return how_; }  // "signal 4", "exit code 1"

 private:
  std::string how_;
};

// Commands go to its standard input, answers come back as lines of words separated by tabs; arrays go
// through one file in memory that both have open, so that nothing is left behind, however the run ends.
class PeerProcess {
 public:
  using Words = std::vector<std::string>;

  // Starts the command with the number of the shared file, the number of threads and `more` as its last
  // arguments. Throws Error if it cannot be started.
  PeerProcess(std::vector<std::string> command, int threads, const std::vector<std::string>& more = {});
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  Words answer();                         // the next line; PeerDied, with its last words, if it has gone
  Words ask(const std::string& command);  // likewise; throws Error if the answer is an error
  void write(Index at, const void* data, Index bytes) const;
  void read(Index at, void* data, Index bytes) const;

 private:
  [[noreturn]] void gone();
  std::string how_it_ended();
  std::string last_words() const;

  std::string name_;  // of the program
  pid_t child_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  int file_ = -1;    // the arrays
  int errors_ = -1;  // what it says on standard error
  std::string how_;  // it ended; empty: it has not
};

// The command that runs a script in that Python.
inline std::vector<std::string> python_command(const std::string& python, const char* script) {
  return {python, "-u", "-c", script};
}

}  // namespace fovea::bench
