// A product of few rows with a large matrix, which is only streamed through.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

inline constexpr Index kFewRows = 8;
inline constexpr Index kFewRowsSums = 4096;  // at most so many results at a time: L1 holds them

// c = alpha · x · y + beta · c + bias. Results may be those of a transposed product, so c and bias have a
// stride for rows and one for columns.
struct FewRows {
  const float* x = nullptr;  // [rows, depth], rows ≤ kFewRows
  Index x_stride = 0, rows;
  const float* y;  // [depth, columns], or [columns, depth] if transposed
  Index y_stride, columns;
  bool transposed;
  Index depth;
  float* c;
  Index c_row_stride, c_column_stride;
  const float* bias;  // or null
  Index bias_row_stride, bias_column_stride;
  float alpha, beta;
};

}  // namespace fovea::kernels
