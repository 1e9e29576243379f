// Normalisation of rows: layer norm and root-mean-square norm.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// out = (x − mean) / √(variance + epsilon) · weight + bias, for each row of x [rows, width]. The variance
// is the mean of squared differences, taken in a second pass: a large mean costs no digits. `out` may be x.
// Rows whose squares are no float32 are computed in double.
void layer_norm(const float* x, Index rows, Index width, const float* weight, const float* bias,
                float epsilon, float* out);

// out = x / √(mean of squares + epsilon) · weight.
void rms_norm(const float* x, Index rows, Index width, const float* weight, float epsilon, float* out);

}  // namespace fovea::kernels
