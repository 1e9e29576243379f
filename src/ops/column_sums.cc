#include "ops/column_sums.h"

#include "core/fail.h"
#include "kernels/column_sums.h"

namespace fovea {
inline namespace internal {

void add_column_sums(ConstView x, View out) {
  const Shape &from = x.shape(), &to = out.shape();
  if (from.rank() != 2 || to.rank() != 1 || from[1] != to[0] || (x.stride(1) != 1 && from[1] > 1)) {
    fail("[column sums] x is {}, the result {}: expected [rows, F] with contiguous rows, and [F]",
         from.to_string(), to.to_string());
  }
  kernels::add_column_sums(x.data(), from[0], from[1], x.stride(0), out.data());
}

}  // namespace internal
}  // namespace fovea
