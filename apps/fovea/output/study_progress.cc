#include "output/study_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "texts/message.h"

namespace fovea::command {

StudyProgressLine::StudyProgressLine(Language language)
    : language_(language), terminal_(isatty(STDERR_FILENO) != 0) {}

StudyProgressLine::~StudyProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void StudyProgressLine::show(const StudyProgress& progress) {
  if (!terminal_) return;
  if (first_ < 0) first_ = progress.texts - progress.measured;
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.measured) / progress.seconds : 0;
  // Of a shard, most texts are only read: time goes with the texts of the corpus.
  const auto read = static_cast<double>(std::max<Index>(1, progress.texts - first_));
  const double left = static_cast<double>(progress.expected - progress.texts) * progress.seconds / read;
  const auto minutes = static_cast<Index>(left) / 60, seconds = static_cast<Index>(left) % 60;
  const std::string line = progress.expected > 0
                               ? tr("text {0} of {1}, {2:.1f} texts/s, {3} left", progress.texts,
                                    progress.expected, rate, fmt::format("{}:{:02}", minutes, seconds))
                                     .in(language_)
                               : tr("text {0}, {1:.1f} texts/s", progress.texts, rate).in(language_);
  std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace fovea::command
