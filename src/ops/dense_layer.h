// Dense layers on packed weights: activation(x Wᵀ + b), stored, added or multiplied.
#pragma once

#include "fovea/tensor.h"
#include "kernels/dense_layer.h"

namespace fovea {

struct DenseOptions {
  const float* bias = nullptr;  // [F], or none
  Activation activation = Activation::none;
  DenseEnd end = DenseEnd::store;
};

// x [.., E] → out [.., F] = activation(x Wᵀ + b), or what `end` says. `out` is contiguous. Throws Error
// "[linear] ..".
void dense_layer(ConstView x, const PackedWeights& weights, const DenseOptions& options, View out);

// The same with the results of F / D heads apart: x [B, N, E] → out [B, F / D, N, D], stored.
void dense_heads(ConstView x, const PackedWeights& weights, const float* bias, Index head_width, View out);

// [.., F]: the shape of dense_layer's result.
Shape dense_shape(const Shape& x, const PackedWeights& weights);

}  // namespace fovea
