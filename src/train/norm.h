// Layer norm and root-mean-square norm, and back.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// With a bias it is a layer norm, without one the norm of Llama: x / √(mean of squares + ε) · weight.
struct NormLayer {
  ConstView weight = ConstView(nullptr, {0});  // [E]
  View dweight = View(nullptr, {0});           // [E], added to
  const float* bias = nullptr;                 // [E], or none
  float* dbias = nullptr;
  float epsilon = 1e-5f;

  // x and y [rows, E].
  void forward(ConstView x, View y) const;
  // dx = the gradient by x, from dy; x is what the norm was given. dx may be dy.
  void backward(ConstView x, ConstView dy, View dx) const { run_backward(x, dy, dx, false); }
  // dx += it: the norm stands beside a residual stream, whose gradient is in dx.
  void add_backward(ConstView x, ConstView dy, View dx) const { run_backward(x, dy, dx, true); }

 private:
  void run_backward(ConstView x, ConstView dy, View dx, bool add) const;
};

}  // namespace fovea
