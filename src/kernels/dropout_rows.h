// Dropout of whole rows, and the sum with a residual: by counter, nothing is stored.
#pragma once

#include <cstdint>

#include "fovea/shape.h"

namespace fovea::kernels {

// y = residual + x · factor over [rows, width], where the factor is 0 for the share p of the elements and
// 1 / (1 − p) for the others, by core/dropout.h: seed, head 0, query = row, key = column. The same call on
// dy is the gradient. Without a residual (null) it is not added; y may be x or the residual.
void dropout_rows(const float* x, const float* residual, Index rows, Index width, float p,
                  std::uint64_t seed, float* y);

}  // namespace fovea::kernels
