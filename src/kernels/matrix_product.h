// C = alpha · A · B + beta · C: the plain face of the SIMD code.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// Element (i, j) stands at data[i · row_stride + j · column_stride]. One of the two strides is 1: a matrix
// in row-major order, or the transpose of one.
struct MatrixFactor {
  const float* data;
  Index row_stride, column_stride;
};

struct MatrixProduct {
  MatrixFactor a;  // [rows, depth]
  MatrixFactor b;  // [depth, columns]
  Index rows, depth, columns;
  float* c;  // [rows, columns], c_stride from row to row; overlaps neither a nor b
  Index c_stride;
  float alpha = 1, beta = 0;    // with beta = 0, what is in c is not read
  const float* bias = nullptr;  // [columns], added to every row, or null
};

// Computes in register tiles, from panels of B that each task packs for itself, block by block into 36 KiB
// on its stack; allocates nothing. B is read in place where packing would cost more than it spares, and the
// product of a single row or column only streams through the other factor.
//
// Tasks are cut by the shape alone and run in parallel. A sum over the depth runs in blocks, in order, and
// blocks begin at zero: the bits depend on the shape and the strides, not on the number of threads.
void matrix_product(const MatrixProduct& product);

}  // namespace fovea::kernels
