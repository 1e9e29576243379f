// The axis of losses: linear, or logarithmic where they span a lot.
#pragma once

#include <string>
#include <vector>

#include "fovea/training_chart.h"
#include "plot/ticks.h"

namespace fovea {

// Throws Error for what training_chart() cannot draw.
void check_curve(const TrainingCurve& curve);

class LossScale {
 public:
  explicit LossScale(const TrainingCurve& curve);

  double share(double loss) const;  // 0: low end, 1: high end; what lies beyond stays at the end
  std::vector<Tick> ticks(int most) const;
  bool logarithmic() const { return logarithmic_; }

 private:
  bool logarithmic_ = false;
  double low_ = 0, high_ = 1;
};

// Means over stretches of neighbouring steps, at most `most` of them.
std::vector<LossPoint> mean_points(const std::vector<LossPoint>& points, std::size_t most);

}  // namespace fovea
