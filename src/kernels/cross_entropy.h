// Cross-entropy of rows of logits, and its gradient in their place.
#pragma once

#include <cstdint>

#include "fovea/shape.h"

namespace fovea::kernels {

// With V = classes and s = smoothing, the loss of a row x with target t is
//   log Σ exp(x) − (1 − s) · x[t] − s / V · Σ x,
// and its gradient softmax(x) − (1 − s) · [t] − s / V.
struct CrossEntropyProblem {
  float* logits;  // [rows, classes], `stride` from row to row; overwritten
  Index rows, classes, stride;
  const std::int64_t* targets;  // [rows], each in [0, classes)
  float smoothing;
  float gradient_scale;   // the gradient is multiplied by it and put in the logits' place
  bool gradient;          // false: the logits are spoiled, nothing more
  double* losses;         // [rows]
  std::uint8_t* correct;  // [rows]: is no other logit larger than the target's?
};

// One pass for the maximum, one for exponentials and sum, one for the gradient; nothing is allocated. Rows
// are independent: bits do not depend on the number of threads. A logit that is NaN or +inf makes the loss
// NaN.
void cross_entropy(const CrossEntropyProblem& problem);

}  // namespace fovea::kernels
