#include "ops/projection.h"

#include <cblas.h>

#include <algorithm>
#include <limits>

#include "core/fail.h"
#include "core/parallel.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

// The result is cut into fixed pieces, each one single-threaded BLAS call: OpenBLAS does not start threads
// inside a parallel region, and its own split would let the last bits depend on the number of threads.
constexpr Index kPieceRows = 64;
constexpr Index kPieceColumns = 256;

struct Matrices {
  const float* x;  // [rows, depth]
  const float* w;  // [depth, columns], or [columns, depth] if transposed
  float* out;      // [rows, columns]
  Index rows, depth, columns;
  bool transposed;
};

void multiply_piece(const Matrices& m, Index row, Index rows, Index column, Index columns) {
  const Index w_stride = m.transposed ? m.depth : m.columns;
  const float* w = m.transposed ? m.w + column * m.depth : m.w + column;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, m.transposed ? CblasTrans : CblasNoTrans,
              static_cast<blasint>(rows), static_cast<blasint>(columns), static_cast<blasint>(m.depth),
              1.0f, m.x + row * m.depth, static_cast<blasint>(std::max<Index>(m.depth, 1)), w,
              static_cast<blasint>(w_stride), 0.0f, m.out + row * m.columns + column,
              static_cast<blasint>(m.columns));
}

void multiply(const Matrices& m) {
  if (m.rows == 0 || m.columns == 0) return;
  if (m.depth == 0) {
    std::fill_n(m.out, m.rows * m.columns, 0.0f);
    return;
  }
  // At least two pieces wherever possible: one piece alone would run outside a parallel region.
  const Index piece_columns = m.columns > 1 ? std::min(kPieceColumns, (m.columns + 1) / 2) : 1;
  const Index piece_rows =
      m.columns > 1 ? kPieceRows : std::min(kPieceRows, std::max<Index>(1, (m.rows + 1) / 2));
  const Index row_pieces = (m.rows + piece_rows - 1) / piece_rows;
  const Index column_pieces = (m.columns + piece_columns - 1) / piece_columns;
  parallel_for(row_pieces * column_pieces, [&](Index piece) {
    const Index row = piece / column_pieces * piece_rows;
    const Index column = piece % column_pieces * piece_columns;
    multiply_piece(m, row, std::min(piece_rows, m.rows - row), column,
                   std::min(piece_columns, m.columns - column));
  });
}

Tensor project_by(const char* op, ConstView x, ConstView w, bool transposed, const char* w_name) {
  const int in_axis = transposed ? 1 : 0;
  if (x.shape().rank() < 1 || w.shape().rank() != 2 || w.shape()[in_axis] != x.shape().back()) {
    fail("[{}] x is {}, {} is {}: expected {}", op, x.shape().to_string(), w_name, w.shape().to_string(),
         transposed ? fmt::format("[.., {}]", x.shape().rank() > 0 ? x.shape().back() : 0)
                    : fmt::format("[{}, ..]", x.shape().rank() > 0 ? x.shape().back() : 0));
  }
  Tensor x_copy, w_copy;
  if (!x.is_contiguous()) x = x_copy = Tensor::copy_of(x);
  if (!w.is_contiguous()) w = w_copy = Tensor::copy_of(w);
  const Index depth = x.shape().back(), columns = w.shape()[1 - in_axis];
  std::vector<Index> extents;
  Index rows = 1;
  for (int axis = 0; axis + 1 < x.shape().rank(); ++axis) {
    extents.push_back(x.shape()[axis]);
    rows *= x.shape()[axis];
  }
  extents.push_back(columns);
  Tensor out = Tensor::uninitialized(Shape(extents));
  if (std::max({depth, columns, rows}) > std::numeric_limits<blasint>::max()) {
    fail("[{}] x is {}, {} is {}: BLAS takes extents up to {}", op, x.shape().to_string(), w_name,
         w.shape().to_string(), std::numeric_limits<blasint>::max());
  }
  const auto describe = [&] {
    return CallText{fmt::format("x {}, {} {}", x.shape().to_string(), w_name, w.shape().to_string()),
                    fmt::format("sgemm on pieces of {} × {}", kPieceRows, kPieceColumns), "BLAS"};
  };
  run_observed(op, describe, [&] {
    multiply({x.data(), w.data(), out.data(), rows, depth, columns, transposed});
  });
  return out;
}

}  // namespace

Tensor project(const char* op, ConstView x, ConstView w, const char* w_name) {
  return project_by(op, x, w, false, w_name);
}

Tensor project_transposed(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name) {
  Tensor out = project_by(op, x, w, true, w_name);
  if (bias == nullptr) return out;
  const Index columns = out.shape().back();
  float* row = out.data();
  for (float* end = row + out.shape().elements(); row != end; row += columns) {
    for (Index c = 0; c < columns; ++c) row[c] += bias[c];
  }
  return out;
}

}  // namespace fovea
