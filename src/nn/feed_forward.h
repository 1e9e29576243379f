// The feed-forward half of a transformer block.
#pragma once

#include "nn/linear.h"

namespace fovea {

// Plain: down(activation(up(x))). Gated, where there is a gate: down(activation(gate(x)) · up(x)), SwiGLU
// with silu.
struct FeedForward {
  Linear up, gate, down;
  Activation activation = Activation::gelu;

  Tensor operator()(const Tensor& x) const {
    if (gate.empty()) return down(up(x, activation));
    Tensor inner = gate(x);
    activate_gated(inner, up(x), activation);
    return down(inner);
  }
};

}  // namespace fovea
