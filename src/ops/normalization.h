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

// Into rows of memory: x and out [rows, E], contiguous; `out` may be x.
FOVEA_PRIVATE_API void layer_norm(ConstView x, ConstView weight, ConstView bias, float epsilon, View out);
FOVEA_PRIVATE_API void rms_norm(ConstView x, ConstView weight, float epsilon, View out);

// The gradients of the two, from dy [rows, E], the gradient by the norm's output.
struct NormBackward {
  ConstView x, dy;  // [rows, E], contiguous
  ConstView weight;
  float epsilon;
  View dx;           // [rows, E]; may be dy unless it is added to
  bool add = false;  // dx += the gradient: the residual stream around the norm; else dx =
  View dweight;      // [E], added to
};
FOVEA_PRIVATE_API void layer_norm_backward(const NormBackward& norm, View dbias);
FOVEA_PRIVATE_API void rms_norm_backward(const NormBackward& norm);

}  // namespace internal
}  // namespace fovea
