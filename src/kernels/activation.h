// Activations, gates and sums of layers, element by element, in place.
#pragma once

#include "fovea/shape.h"

namespace fovea {

enum class Activation {
  none,
  relu,
  silu,       // x / (1 + exp(−x)), "swish"
  gelu,       // x · Φ(x), by the error function
  gelu_tanh,  // the approximation by tanh that GPT-2 and T5 v1.1 were trained with
};

}  // namespace fovea

namespace fovea::kernels {

// x = activation(x). The absolute error is at most 2.5e-7 · max(1, |x|); NaN stays NaN.
void activate(float* x, Index elements, Activation activation);

// x = activation(x) · gate.
void activate_gated(float* x, const float* gate, Index elements, Activation activation);

// x += y.
void add(float* x, const float* y, Index elements);

}  // namespace fovea::kernels
