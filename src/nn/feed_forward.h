// The feed-forward half of a transformer block.
#pragma once

#include "fovea/api.h"
#include "nn/linear.h"

namespace fovea {
inline namespace internal {

// Plain: down(activation(up(x))). Gated, where there is a gate: down(activation(gate(x)) · up(x)), SwiGLU
// with silu.
struct FOVEA_PRIVATE_API FeedForward {
  Linear up, gate, down;
  Activation activation = Activation::gelu;

  // out [.., E] += the layer of x [.., E], which may be `out` itself; both contiguous. `inner` is scratch
  // for layer after layer.
  void add(ConstView x, Tensor& inner, View out) const;
};

}  // namespace internal
}  // namespace fovea
