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

// Costs rows · depth · columns multiply-adds in register tiles, at 85 to 97 % of the peak for sizes from 64
// on. Each task packs the panels of B that it needs, and allocates for that at most 4 panels of 1,152 rows
// (0.9 MB), or, if A is transposed and large, its share of 192 rows of B and 96 of A. B is read in place,
// and nothing is allocated, where L2 holds it and where it serves 32 rows or fewer. Up to 8 rows, or 4
// columns, take as long as reading the other factor.
//
// The sum over the depth runs in blocks of 192, in order, and blocks begin at zero; few rows with a
// transposed B, and few columns, are summed lane by lane. So bits depend on the shape and the strides, not
// on the number of threads.
void matrix_product(const MatrixProduct& product);

}  // namespace fovea::kernels
