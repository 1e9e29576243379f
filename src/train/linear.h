// Dense layers: y = x W + b, and back.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// W as [E, F] whatever its layout in the file: one of the two is a transposed view, which costs nothing.
struct LinearLayer {
  ConstView weight = ConstView(nullptr, {0, 0});  // [E, F]
  View dweight = View(nullptr, {0, 0});           // [E, F], added to
  const float* bias = nullptr;                    // [F], or none
  float* dbias = nullptr;                         // [F], added to

  Index inputs() const { return weight.shape()[0]; }
  Index outputs() const { return weight.shape()[1]; }

  // x [rows, E] → y [rows, F]; rows of both are contiguous, with any stride between them.
  void forward(ConstView x, View y) const;

  // From dy [rows, F]: dx = dy Wᵀ (+ beta · dx), dW += xᵀ dy, db += Σ dy. x is what the layer was given.
  void backward(ConstView x, ConstView dy, View dx, float beta = 0) const;
  void backward_parameters(ConstView x, ConstView dy) const;  // dW and db alone
};

}  // namespace fovea
