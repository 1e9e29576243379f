#include "output/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace fovea::command {

Progress::Progress(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(double share) {
  constexpr std::chrono::milliseconds kMoment(500);  // what is quicker needs no progress
  if (!terminal_ || std::chrono::steady_clock::now() - start_ < kMoment) return;
  const std::string line = fmt::format("\r\x1b[K{} {:.0f} %", what_, 100 * share);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace fovea::command
