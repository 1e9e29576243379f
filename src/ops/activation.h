// Activations of whole arrays and their gradients.
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "kernels/activation.h"

namespace fovea {
inline namespace internal {

// y = f(x), of one shape, contiguous; y may be x.
FOVEA_PRIVATE_API void activate(Activation activation, ConstView x, View y);
// dx = dy · f'(x); dx may be dy.
FOVEA_PRIVATE_API void activate_backward(Activation activation, ConstView x, ConstView dy, View dx);

// x [rows, 2 F] = gate | up → y [rows, F] = f(gate) · up: the inner layer of SwiGLU.
FOVEA_PRIVATE_API void activate_gated(Activation activation, ConstView x, View y);
// dx [rows, 2 F] from dy [rows, F]; dx may be x.
FOVEA_PRIVATE_API void activate_gated_backward(Activation activation, ConstView x, ConstView dy, View dx);

}  // namespace internal
}  // namespace fovea
