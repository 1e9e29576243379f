#include "ops/projection.h"

#include <vector>

#include "core/fail.h"
#include "ops/matrix_product.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

// x [.., E] as [rows, E]; a copy unless its rows lie one stride apart.
ConstView as_rows(ConstView x, Tensor& copy) {
  const int rank = x.shape().rank();
  if (rank == 1) return x.insert_axis(0);
  if (rank == 2) return x;
  if (!x.is_contiguous()) x = copy = Tensor::copy_of(x);
  Index rows = 1;
  for (int axis = 0; axis + 1 < rank; ++axis) rows *= x.shape()[axis];
  return ConstView(x.data(), {rows, x.shape().back()});
}

// w [E, F].
Tensor multiply(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name) {
  Tensor copy;
  const ConstView rows = as_rows(x, copy);
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < x.shape().rank(); ++axis) extents.push_back(x.shape()[axis]);
  extents.push_back(w.shape()[1]);
  Tensor out = Tensor::uninitialized(Shape(extents));
  const auto describe = [&] {
    return CallText{fmt::format("x {}, {} {}", x.shape().to_string(), w_name, w.shape().to_string()),
                    "register tile, packed on the way"};
  };
  run_observed(op, describe, [&] {
    matrix_product(op, rows, w, View(out.data(), {rows.shape()[0], w.shape()[1]}), {.bias = bias});
  });
  return out;
}

void check(const char* op, ConstView x, ConstView w, int in_axis, const char* w_name) {
  const Shape &got = x.shape(), &weight = w.shape();
  if (got.rank() >= 1 && weight.rank() == 2 && weight[in_axis] == got.back()) return;
  const Index width = got.rank() > 0 ? got.back() : 0;
  fail("[{}] x is {}, {} is {}: expected {}", op, got.to_string(), w_name, weight.to_string(),
       in_axis == 1 ? fmt::format("[.., {}]", width) : fmt::format("[{}, ..]", width));
}

}  // namespace

Tensor project(const char* op, ConstView x, ConstView w, const char* w_name) {
  check(op, x, w, 0, w_name);
  return multiply(op, x, w, nullptr, w_name);
}

Tensor project_transposed(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name) {
  check(op, x, w, 1, w_name);
  return multiply(op, x, w.transpose(0, 1), bias, w_name);
}

void project_transposed(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name,
                        View out) {
  check(op, x, w, 1, w_name);
  Tensor copy;
  matrix_product(op, as_rows(x, copy), w.transpose(0, 1), out, {.bias = bias});
}

}  // namespace fovea
