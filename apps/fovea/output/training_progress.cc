#include "output/training_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "texts/message.h"

namespace fovea::command {
namespace {

// 12 s, 3:05, 1:02:03
std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share) {
  constexpr int kCells = 24;
  const int full = static_cast<int>(share * kCells);
  std::string cells;
  for (int i = 0; i < kCells; ++i) cells += i < full ? "█" : "░";
  return cells;
}

}  // namespace

TrainingProgress::TrainingProgress(Index first, Index steps, Language language)
    : language_(language),
      terminal_(isatty(STDERR_FILENO) != 0),
      first_(first),
      steps_(steps),
      start_(Clock::now()),
      last_(start_) {}

TrainingProgress::~TrainingProgress() { clear(); }

void TrainingProgress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

double TrainingProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double TrainingProgress::tokens_per_second() const {
  const double time = seconds();
  return time > 0 ? tokens_ / time : 0;
}

void TrainingProgress::show(const TrainingStep& step) {
  constexpr std::chrono::milliseconds kMoment(100);
  constexpr double kNew = 0.05;
  tokens_ += static_cast<double>(step.tokens);
  loss_ = step.step == first_ + 1 ? step.loss : (1 - kNew) * loss_ + kNew * step.loss;
  const auto now = Clock::now();
  if (!terminal_ || now - last_ < kMoment) return;
  last_ = now;
  const auto done = static_cast<double>(step.step - first_), left = static_cast<double>(steps_ - step.step);
  const std::string line =
      tr("{0} step {1} of {2}, loss {3:.4f}, {4:.0f} tokens/s, {5} left",
         bar(static_cast<double>(step.step) / static_cast<double>(std::max<Index>(1, steps_))), step.step,
         steps_, loss_, tokens_per_second(), duration(seconds() / done * left))
          .in(language_);
  std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace fovea::command
