// The activations of dense layers.
#pragma once

namespace fovea {

// The absolute error is at most 2.5e-7 · max(1, |x|); NaN stays NaN.
enum class Activation {
  none,
  relu,
  silu,       // x / (1 + exp(−x)), "swish"
  gelu,       // x · Φ(x), by the error function
  gelu_tanh,  // the approximation by tanh that GPT-2 and T5 v1.1 were trained with
};

}  // namespace fovea
