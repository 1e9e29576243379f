// The feed-forward half of a transformer block.
#pragma once

#include "nn/linear.h"

namespace fovea {

// Plain: down(activation(up(x))). Gated, where there is a gate: down(activation(gate(x)) · up(x)), SwiGLU
// with silu.
struct FeedForward {
  Linear up, gate, down;
  Activation activation = Activation::gelu;

  // out += the layer of x, which may be `out` itself. `inner` [.., inner width] is scratch for layer after
  // layer.
  void add(const Tensor& x, Tensor& inner, Tensor& out) const {
    if (gate.empty()) {
      up.store(x, inner, activation);
    } else {
      gate.store(x, inner, activation);
      up.multiply(x, inner);
    }
    down.add(inner, out);
  }
};

}  // namespace fovea
