#include "fovea/scaling.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "explain/arithmetic.h"
#include "fovea/random.h"

namespace fovea {
namespace {

// Mean and variance of a stream of numbers (Welford).
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }
  double variance() const { return squares_ / static_cast<double>(count_ - 1); }

 private:
  Index count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// q·k of every width: one pair of long vectors per draw, whose first d_k components serve width d_k.
std::vector<ScalingVariance> measure_variances(const ScalingOptions& options) {
  const Index longest = *std::max_element(options.widths.begin(), options.widths.end());
  std::vector<Moments> raw(options.widths.size()), scaled(options.widths.size());
  std::vector<double> dots(static_cast<std::size_t>(longest) + 1);  // dots[d]: of the first d components
  Random random(options.seed);
  for (Index draw = 0; draw < options.draws; ++draw) {
    for (std::size_t d = 1; d < dots.size(); ++d) {
      const double q = random.normal();
      dots[d] = dots[d - 1] + q * random.normal();
    }
    for (std::size_t i = 0; i < options.widths.size(); ++i) {
      const double dot = dots[static_cast<std::size_t>(options.widths[i])];
      raw[i].add(dot);
      scaled[i].add(dot / std::sqrt(static_cast<double>(options.widths[i])));
    }
  }
  std::vector<ScalingVariance> variances;
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    variances.push_back({options.widths[i], raw[i].variance(), scaled[i].variance()});
  }
  return variances;
}

// ‖diag(p) − p pᵀ‖, its diagonal p_i (1 − p_i) with 1 − p_i as given.
double jacobian_norm(const std::vector<double>& p, const std::vector<double>& one_minus_p) {
  double squares = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double entry = i == j ? p[i] * one_minus_p[i] : p[i] * p[j];
      squares += entry * entry;
    }
  }
  return std::sqrt(squares);
}

}  // namespace

Saturation saturation(const std::vector<double>& scores) {
  if (scores.empty()) fail("[saturation] there are no scores");
  for (const double score : scores) {
    if (!std::isfinite(score)) fail("[saturation] a score is {}, expected finite numbers", score);
  }
  Saturation result;
  result.scores = scores;
  result.weights = row_softmax(Matrix(1, static_cast<Index>(scores.size()), scores)).row(0);
  std::vector<double> others, difference;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double rest = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) rest += j == i ? 0 : result.weights[j];
    others.push_back(rest);
    difference.push_back(1 - result.weights[i]);
  }
  result.jacobian_norm = jacobian_norm(result.weights, others);
  result.jacobian_norm_naive = jacobian_norm(result.weights, difference);
  return result;
}

ScalingExperiment scaling_experiment(const ScalingOptions& options) {
  if (options.draws < 2) fail("[scaling] got {} draws, expected at least 2", options.draws);
  if (options.widths.empty()) fail("[scaling] there are no widths");
  for (const Index width : options.widths) {
    if (width < 1) fail("[scaling] got the width {}, expected at least 1", width);
  }
  if (options.saturation_width < 1) {
    fail("[scaling] got the saturation width {}, expected at least 1", options.saturation_width);
  }
  ScalingExperiment experiment{options, measure_variances(options), saturation(options.scores), {}};
  std::vector<double> scaled = options.scores;
  for (double& score : scaled) score /= std::sqrt(static_cast<double>(options.saturation_width));
  experiment.scaled = saturation(scaled);
  return experiment;
}

}  // namespace fovea
