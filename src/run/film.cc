#include "fovea/film.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "run/film_checks.h"
#include "run/run_file.h"

namespace fovea {
namespace {

void check_later(const char* what, Index step, const std::vector<FilmPoint>& points) {
  const Index least = points.empty() ? 0 : points.back().step + 1;
  if (step < least) fail("[film] {} of step {}, expected step {} or a later one", what, step, least);
}

float known_or_nan(double loss) { return std::isfinite(loss) ? static_cast<float>(loss) : std::nanf(""); }

}  // namespace

Film::Film(std::vector<std::string> texts) : texts_(std::move(texts)), runs_(texts_.size()) {
  if (texts_.empty()) fail("[film] no text: at least one is filmed");
}

void Film::append(Index step, double loss, const std::vector<Run>& runs) {
  check_later("a frame", step, frames_);
  if (runs.empty() || runs.size() != texts_.size()) {
    fail("[film] {} runs for {} texts", runs.size(), texts_.size());
  }
  for (std::size_t t = 0; t < runs.size(); ++t) {
    const std::string where = fmt::format("[film] text {} at step {}", t, step);
    check_film_run(runs[t], texts_[t], where);
    if (!runs_[t].empty()) check_same_form(runs[t], runs_[t].front(), where);
  }
  if (frames_.empty()) model_ = runs.front().model();
  for (std::size_t t = 0; t < runs.size(); ++t) runs_[t].push_back(RunReader::query_key_copy(runs[t]));
  frames_.push_back({step, known_or_nan(loss)});
}

void Film::add_loss(Index step, double loss) {
  check_later("a loss", step, losses_);
  losses_.push_back({step, known_or_nan(loss)});
}

void Film::rewind(Index step) {
  const auto after = [&](const FilmPoint& point) { return point.step > step; };
  frames_.erase(std::find_if(frames_.begin(), frames_.end(), after), frames_.end());
  losses_.erase(std::find_if(losses_.begin(), losses_.end(), after), losses_.end());
  for (std::vector<Run>& text : runs_) text.resize(frames_.size());
}

const Run& Film::run(Index frame, Index text) const {
  const auto there = [](const char* what, Index asked, std::size_t count) {
    if (asked >= 0 && asked < static_cast<Index>(count)) return;
    fail("[film] {} {} was asked for, there {} {}, counted from 0", what, asked, count == 1 ? "is" : "are",
         count);
  };
  there("text", text, texts_.size());
  there("frame", frame, frames_.size());
  return runs_[static_cast<std::size_t>(text)][static_cast<std::size_t>(frame)];
}

std::size_t Film::bytes() const {
  std::size_t bytes = 0;
  for (const std::vector<Run>& text : runs_) {
    for (const Run& run : text) bytes += run.bytes();
  }
  return bytes;
}

}  // namespace fovea
