// Waiting until somebody ends the program (Ctrl-C, kill).
#pragma once

namespace fovea::command {

// From construction on, SIGINT and SIGTERM no longer end the program but wait(). A second one ends it at
// once. One at a time.
class EndSignal {
 public:
  EndSignal();
  ~EndSignal();
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  void wait() const;
};

}  // namespace fovea::command
