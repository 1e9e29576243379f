// Activations, gates and residual sums on whole tensors, in place.
#pragma once

#include "fovea/tensor.h"
#include "kernels/activation.h"

namespace fovea {

void activate(Tensor& x, Activation activation);                            // x = activation(x)
void activate_gated(Tensor& x, const Tensor& gate, Activation activation);  // x = activation(x) · gate
void add(Tensor& x, const Tensor& y);                                       // x += y, the same shape

}  // namespace fovea
