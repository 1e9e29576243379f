// Softmax of rows, in place.
#pragma once

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea::kernels {

// x [outer, length, inner], row-major: softmax along the middle axis, in place. Parallel over `outer`.
// Exponentials by Highway's Exp (1 ulp). −inf gives 0, a row of only −inf zeros, NaN its whole row.
// Allocates 2 · inner floats per thread when inner > 1.
FOVEA_PRIVATE_API void softmax_rows(float* x, Index outer, Index length, Index inner);

}  // namespace fovea::kernels
