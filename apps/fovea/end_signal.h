// What happens when somebody ends the program (Ctrl-C, kill).
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace fovea::command {

// Whoever ends the program by SIGINT, SIGTERM or SIGHUP ends it at once, but finds no unfinished files.
// Signals that are ignored stay so. To be called first of all.
void remove_files_on_signals();

// From construction on, SIGINT, SIGTERM and (unless it is ignored) SIGHUP no longer end the program but
// wait(). A second one ends it at once. One at a time.
class EndSignal {
 public:
  EndSignal();
  ~EndSignal();
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  void wait() const;

 private:
  struct sigaction interrupt_before_ = {}, terminate_before_ = {}, hang_up_before_ = {};
};

// While it lives, the first Ctrl-C asks long work to stop (which then throws Stopped), the second ends the
// program at once.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  EndSignal end_;
  std::stop_source source_;
  std::thread waiting_;
};

}  // namespace fovea::command
