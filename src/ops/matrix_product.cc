#include "ops/matrix_product.h"

#include <utility>

#include "core/fail.h"
#include "kernels/matrix_product.h"

namespace fovea {
inline namespace internal {
namespace {

void check(const char* op, const ConstView& a, const ConstView& b) {
  const Shape &x = a.shape(), &y = b.shape();
  if (x.rank() == 2 && y.rank() == 2 && x[1] == y[0]) return;
  fail("[{}] a is {}, b is {}: expected {}", op, x.to_string(), y.to_string(),
       x.rank() == 2 ? fmt::format("[{}, ..]", x[1]) : std::string("[N, E] and [E, F]"));
}

void check_result(const char* op, const View& c, Index rows, Index columns, bool bias) {
  const bool fits = c.shape().rank() == 2 && c.shape()[0] == rows && c.shape()[1] == columns;
  if (fits && (c.stride(1) == 1 || columns <= 1 || (c.stride(0) == 1 && !bias))) return;
  const Shape wanted = {rows, columns};
  fail("[{}] the result is {} with strides {} and {}, expected {} with {}", op, c.shape().to_string(),
       c.stride(0), c.stride(1), wanted.to_string(),
       bias ? "contiguous rows" : "contiguous rows or columns");
}

// Where neither rows nor columns are contiguous, a copy. Written field by field: a small product would wait
// for structs that are written in pieces and copied whole.
void set_factor(const ConstView& x, Tensor& copy, kernels::MatrixFactor& factor) {
  if (x.stride(0) == 1 || x.stride(1) == 1) {
    factor.data = x.data(), factor.row_stride = x.stride(0), factor.column_stride = x.stride(1);
    return;
  }
  copy = Tensor::copy_of(x);
  factor.data = copy.data(), factor.row_stride = x.shape()[1], factor.column_stride = 1;
}

kernels::MatrixFactor transposed(const kernels::MatrixFactor& x) {
  return {x.data, x.column_stride, x.row_stride};
}

}  // namespace

void matrix_product(const char* op, const ConstView& a, const ConstView& b, const View& c,
                    const ProductOptions& options) {
  check(op, a, b);
  const Index rows = a.shape()[0], columns = b.shape()[1];
  check_result(op, c, rows, columns, options.bias != nullptr);
  Tensor a_copy, b_copy;
  kernels::MatrixProduct product = {.a = {},
                                    .b = {},
                                    .rows = rows,
                                    .depth = a.shape()[1],
                                    .columns = columns,
                                    .c = c.data(),
                                    .c_stride = c.stride(0),
                                    .alpha = options.alpha,
                                    .beta = options.beta,
                                    .bias = options.bias};
  set_factor(a, a_copy, product.a);
  set_factor(b, b_copy, product.b);
  if (c.stride(1) != 1 && columns > 1) {  // cᵀ = bᵀ · aᵀ
    std::swap(product.a, product.b);
    std::swap(product.rows, product.columns);
    product.a = transposed(product.a);
    product.b = transposed(product.b);
    product.c_stride = c.stride(1);
  }
  kernels::matrix_product(product);
}

Tensor matrix_product(const char* op, const ConstView& a, const ConstView& b,
                      const ProductOptions& options) {
  check(op, a, b);
  if (options.beta != 0) fail("[{}] beta is {}, but there is no result to add to", op, options.beta);
  Tensor c = Tensor::uninitialized({a.shape()[0], b.shape()[1]});
  matrix_product(op, a, b, c.view(), options);
  return c;
}

}  // namespace internal
}  // namespace fovea
