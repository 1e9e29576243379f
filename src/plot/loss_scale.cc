#include "plot/loss_scale.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"

namespace fovea {
namespace {

constexpr double kWide = 30;          // a larger ratio of losses asks for logarithms
constexpr double kDeepest = 1e-6;     // of the largest loss: what is less is drawn there
constexpr std::size_t kColumns = 60;  // means that decide the range: one lucky step does not

void check_points(const std::vector<LossPoint>& points, const char* what) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].loss)) {
      fail("[training_chart] the loss of {} {} is {}, a finite one was expected", what, points[i].step,
           points[i].loss);
    }
    if (i > 0 && points[i].step <= points[i - 1].step) {
      fail("[training_chart] {} {} comes after {}", what, points[i].step, points[i - 1].step);
    }
  }
}

}  // namespace

void check_curve(const TrainingCurve& curve) {
  if (curve.steps.empty()) fail("[training_chart] there are no steps");
  check_points(curve.steps, "step");
  check_points(curve.held_out, "the evaluation at step");
}

LossScale::LossScale(const TrainingCurve& curve) {
  double least = HUGE_VAL, largest = -HUGE_VAL;
  for (const auto* points : {&curve.steps, &curve.held_out}) {
    for (const LossPoint& point : mean_points(*points, kColumns)) {
      least = std::min(least, point.loss);
      largest = std::max(largest, point.loss);
    }
  }
  logarithmic_ = largest > 0 && least > -1e-12 && largest > kWide * std::max(least, 0.0);
  if (logarithmic_) {
    low_ = std::max(least, kDeepest * largest) / 1.3;
    high_ = largest * 1.3;
    return;
  }
  // From zero, unless that would waste most of the height.
  low_ = least < 0 || least > 0.7 * largest ? least : 0;
  const double room = largest > low_ ? 0.05 * (largest - low_) : 0.5;
  high_ = largest + room;
  if (low_ == least && low_ != 0) low_ -= room;
}

double LossScale::share(double loss) const {
  const double share = logarithmic_ ? std::log(std::max(loss, low_) / low_) / std::log(high_ / low_)
                                    : (loss - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

std::vector<Tick> LossScale::ticks(int most) const {
  return logarithmic_ ? logarithmic_ticks(low_, high_, most) : linear_ticks(low_, high_, most);
}

std::vector<LossPoint> mean_points(const std::vector<LossPoint>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::vector<LossPoint> means;
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t begin = k * points.size() / most, end = (k + 1) * points.size() / most;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += points[i].loss;
    means.push_back({points[(begin + end - 1) / 2].step, sum / static_cast<double>(end - begin)});
  }
  return means;
}

}  // namespace fovea
