// How far a long computation is: on a terminal only, and only after a moment.
#pragma once

#include <chrono>
#include <string>

namespace fovea::command {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // leaves an empty line behind, if it wrote on it
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double share);  // 0..1

 private:
  std::string what_;
  bool terminal_;  // is standard error one?
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace fovea::command
