#include "ops/matrix_product.h"

#include "core/fail.h"
#include "kernels/matrix_product.h"

namespace fovea {
inline namespace internal {
namespace {

void check(const char* op, ConstView a, ConstView b) {
  const Shape &x = a.shape(), &y = b.shape();
  if (x.rank() == 2 && y.rank() == 2 && x[1] == y[0]) return;
  fail("[{}] a is {}, b is {}: expected {}", op, x.to_string(), y.to_string(),
       x.rank() == 2 ? fmt::format("[{}, ..]", x[1]) : std::string("[N, E] and [E, F]"));
}

void check_result(const char* op, View c, Index rows, Index columns, bool bias) {
  const bool fits = c.shape().rank() == 2 && c.shape()[0] == rows && c.shape()[1] == columns;
  if (fits && (c.stride(1) == 1 || columns <= 1 || (c.stride(0) == 1 && !bias))) return;
  const Shape wanted = {rows, columns};
  fail("[{}] the result is {} with strides {} and {}, expected {} with {}", op, c.shape().to_string(),
       c.stride(0), c.stride(1), wanted.to_string(),
       bias ? "contiguous rows" : "contiguous rows or columns");
}

// Where neither rows nor columns are contiguous, a copy.
kernels::MatrixFactor factor_of(ConstView x, Tensor& copy) {
  if (x.stride(0) != 1 && x.stride(1) != 1) x = copy = Tensor::copy_of(x);
  return {x.data(), x.stride(0), x.stride(1)};
}

kernels::MatrixFactor transposed(const kernels::MatrixFactor& x) {
  return {x.data, x.column_stride, x.row_stride};
}

}  // namespace

void matrix_product(const char* op, ConstView a, ConstView b, View c, const ProductOptions& options) {
  check(op, a, b);
  const Index rows = a.shape()[0], depth = a.shape()[1], columns = b.shape()[1];
  check_result(op, c, rows, columns, options.bias != nullptr);
  Tensor a_copy, b_copy;
  const kernels::MatrixFactor x = factor_of(a, a_copy), y = factor_of(b, b_copy);
  if (c.stride(1) == 1 || columns <= 1) {
    kernels::matrix_product(
        {x, y, rows, depth, columns, c.data(), c.stride(0), options.alpha, options.beta, options.bias});
  } else {  // cᵀ = bᵀ · aᵀ
    kernels::matrix_product({transposed(y), transposed(x), columns, depth, rows, c.data(), c.stride(1),
                             options.alpha, options.beta});
  }
}

Tensor matrix_product(const char* op, ConstView a, ConstView b, const ProductOptions& options) {
  check(op, a, b);
  if (options.beta != 0) fail("[{}] beta is {}, but there is no result to add to", op, options.beta);
  Tensor c = Tensor::uninitialized({a.shape()[0], b.shape()[1]});
  matrix_product(op, a, b, c.view(), options);
  return c;
}

}  // namespace internal
}  // namespace fovea
