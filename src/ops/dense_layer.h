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

// x [.., E] → out [.., F] = activation(x Wᵀ + b). `out` is allocated unless it has this shape already (with
// DenseEnd::store), so that one tensor can serve layer after layer. Throws Error "[linear] ..".
void dense_layer(ConstView x, const PackedWeights& weights, const DenseOptions& options, Tensor& out);

}  // namespace fovea
