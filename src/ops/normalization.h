// Layer norm and root-mean-square norm along the last axis.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// x [.., E], weight and bias [E]: (x − mean) / √(variance + epsilon) · weight + bias.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon);

// x [.., E], weight [E]: x / √(mean of squares + epsilon) · weight.
Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon);

// The same into `out`, which may be x, and is allocated unless it has the shape of x.
void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon, Tensor& out);
void rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Tensor& out);

}  // namespace fovea
