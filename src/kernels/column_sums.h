// Sums over the rows of a matrix: the gradients of biases.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// out [width] += Σ over the rows of x [rows, width], `stride` from row to row. Rows are summed in blocks of
// 128, which are added in order: bits do not depend on the number of threads. Allocates width floats per
// block.
void add_column_sums(const float* x, Index rows, Index width, Index stride, float* out);

// out [width] += partial sums [count, width], `stride` from one to the next, in order.
void add_partial_sums(const float* sums, Index count, Index width, Index stride, float* out);

}  // namespace fovea::kernels
