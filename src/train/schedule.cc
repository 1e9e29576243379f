#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/train.h"

namespace fovea {

double rate_at(const TrainingOptions& options, Index step) {
  if (step < options.warmup) {
    return options.rate * static_cast<double>(step + 1) / static_cast<double>(options.warmup);
  }
  const auto falling = static_cast<double>(std::max<Index>(1, options.steps - options.warmup));
  const double done = std::min(1.0, static_cast<double>(step - options.warmup) / falling);
  double share = 1;
  if (options.decay == RateDecay::linear) share = 1 - done;
  if (options.decay == RateDecay::cosine) share = (1 + std::cos(std::numbers::pi * done)) / 2;
  return options.rate * (options.last_rate + (1 - options.last_rate) * share);
}

}  // namespace fovea
