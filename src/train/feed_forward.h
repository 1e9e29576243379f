// The feed-forward half of a block, and back.
#pragma once

#include "ops/activation.h"
#include "train/buffer.h"
#include "train/linear.h"

namespace fovea {

// What the backward pass needs of the forward pass.
struct FeedForwardState {
  Buffer inner;      // [rows, F], gated [rows, 2 F]: before the activation
  Buffer activated;  // [rows, F]
};

// Plain: down(f(up(x))). Gated: down(f(gate(x)) · up(x)), where the weights of gate and up lie below each
// other and `up` is both.
struct FeedForwardLayer {
  LinearLayer up, down;
  Activation activation = Activation::gelu;
  bool gated = false;

  // x [rows, E] → y [rows, E].
  void forward(ConstView x, FeedForwardState& state, View y) const;
  // From dy: dx = .. + beta · dx. dx may be dy. `scratch` is for layer after layer.
  void backward(ConstView x, FeedForwardState& state, ConstView dy, Buffer& scratch, View dx,
                float beta) const;
};

}  // namespace fovea
