// The two normalisations of transformers.
#pragma once

#include "fovea/tensor.h"
#include "ops/normalization.h"

namespace fovea {

struct LayerNorm {
  Tensor weight, bias;  // [E]
  float epsilon = 1e-5f;

  Tensor operator()(const Tensor& x) const { return layer_norm(x, weight, bias, epsilon); }
};

struct RmsNorm {
  Tensor weight;  // [E]
  float epsilon = 1e-6f;

  Tensor operator()(const Tensor& x) const { return rms_norm(x, weight, epsilon); }
};

}  // namespace fovea
