// Layer norm and root-mean-square norm along the last axis.
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

// x [.., E], weight and bias [E]: (x − mean) / √(variance + epsilon) · weight + bias.
FOVEA_PRIVATE_API Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                    float epsilon);

// x [.., E], weight [E]: x / √(mean of squares + epsilon) · weight.
FOVEA_PRIVATE_API Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon);

// The same into `out`, which may be x, and is allocated unless it has the shape of x.
FOVEA_PRIVATE_API void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon,
                                  Tensor& out);
FOVEA_PRIVATE_API void rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Tensor& out);

}  // namespace internal
}  // namespace fovea
