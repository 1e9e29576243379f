// The two normalisations of transformers.
#pragma once

#include "fovea/tensor.h"
#include "ops/normalization.h"

namespace fovea {

struct LayerNorm {
  Tensor weight, bias;  // [E]
  float epsilon = 1e-5f;

  Tensor operator()(const Tensor& x) const { return layer_norm(x, weight, bias, epsilon); }
  // Into `out`, which may be x and is used again if it has the shape of x.
  void store(const Tensor& x, Tensor& out) const { layer_norm(x, weight, bias, epsilon, out); }
};

struct RmsNorm {
  Tensor weight;  // [E]
  float epsilon = 1e-6f;

  Tensor operator()(const Tensor& x) const { return rms_norm(x, weight, epsilon); }
  void store(const Tensor& x, Tensor& out) const { rms_norm(x, weight, epsilon, out); }
};

}  // namespace fovea
