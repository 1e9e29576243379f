// Why the scores are divided by √d_k: measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/render.h"
#include "fovea/shape.h"

namespace fovea {

struct FOVEA_API ScalingOptions {
  std::vector<Index> widths = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};  // d_k
  Index draws = 4000;  // pairs q, k ~ N(0, I); the first d_k components serve each width
  std::uint64_t seed = 42;
  std::vector<double> scores = {1, 2, 100};  // a row of scores, for the saturation
  Index saturation_width = 512;              // its d_k
};

struct FOVEA_API ScalingVariance {
  Index d_k = 0;
  double raw = 0;     // variance of q·k over the draws: ≈ d_k
  double scaled = 0;  // variance of q·k/√d_k: ≈ 1
};

// Softmax of one row of scores, and the Frobenius norm of its Jacobian diag(p) − p pᵀ: what is left of a
// gradient that passes through.
struct FOVEA_API Saturation {
  std::vector<double> scores;
  std::vector<double> weights;
  double jacobian_norm = 0;        // 1 − p taken as the sum of the other weights: exact for p near 1
  double jacobian_norm_naive = 0;  // 1 − p by subtraction in double: p(1 − p) vanishes where p rounds to 1
};
FOVEA_API Saturation saturation(const std::vector<double>& scores);

struct FOVEA_API ScalingExperiment {
  ScalingOptions options;
  std::vector<ScalingVariance> variances;  // one per width
  Saturation raw, scaled;
};

// Throws Error for no draws (at least 2), no widths, widths < 1, scores that are empty or not finite.
FOVEA_API ScalingExperiment scaling_experiment(const ScalingOptions& = {});

FOVEA_API std::string to_terminal(const ScalingExperiment&, const RenderOptions& = {});
FOVEA_API std::string to_json(const ScalingExperiment&);

}  // namespace fovea
