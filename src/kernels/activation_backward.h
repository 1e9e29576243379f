// Activations of whole arrays, and their gradients: for training, where what goes in is kept.
#pragma once

#include "fovea/shape.h"
#include "kernels/activation.h"

namespace fovea::kernels {

// y = f(x) of `count` numbers; y may be x.
void activate(Activation activation, const float* x, Index count, float* y);

// dx = dy · f'(x); dx may be dy. The absolute error of f' is at most 5e-7, and f'(0) = 0 for relu.
void activate_backward(Activation activation, const float* x, const float* dy, Index count, float* dx);

// x [rows, 2 · width]: gate | up side by side. y [rows, width] = f(gate) · up.
void activate_gated(Activation activation, const float* x, Index rows, Index width, float* y);

// dx [rows, 2 · width] of the same, from dy [rows, width]; dx may be x.
void activate_gated_backward(Activation activation, const float* x, const float* dy, Index rows,
                             Index width, float* dx);

}  // namespace fovea::kernels
