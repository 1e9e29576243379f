// One step of AdamW over an array of parameters, and the sum of squares that clipping needs.
#pragma once

#include <vector>

#include "fovea/shape.h"

namespace fovea {
inline namespace internal {

// Loshchilov and Hutter, Decoupled Weight Decay Regularization, algorithm 2. Per element, with g the scaled
// gradient:
//   m = β1 m + (1 − β1) g;   v = β2 v + (1 − β2) g²
//   p = p · (1 − rate · decay) − rate · (m / correction1) / (√(v / correction2) + ε)
struct AdamWStep {
  float* parameters;
  const float* gradients;
  float *first, *second;  // the moments m and v
  float gradient_scale;   // clipping
  float rate, beta1, beta2, epsilon, decay;
  float correction1, correction2;  // 1 − β1ᵗ, 1 − β2ᵗ
};

// Elements [begin, end); `decays` where weights are to shrink.
struct ParameterRange {
  Index begin, end;
  bool decays;
};

}  // namespace internal
}  // namespace fovea

namespace fovea::kernels {

// Ranges are independent tasks. Elements are, too: bits depend neither on ranges nor on threads.
void adamw_step(const AdamWStep& step, const std::vector<ParameterRange>& ranges);

// Σ x² over all ranges: in float in blocks of 2,048, these in double and in order. Infinite or NaN if an x
// is, or if an |x| is over 1.8e19.
double sum_of_squares(const float* x, const std::vector<ParameterRange>& ranges);

}  // namespace fovea::kernels
