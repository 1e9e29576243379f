#include "ops/dropout.h"

#include "core/fail.h"
#include "kernels/dropout_rows.h"

namespace fovea {
inline namespace internal {
namespace {

void check_dropout(const ConstView& x, const ConstView& other, const char* name, float p) {
  if (!(p >= 0 && p < 1)) fail("[dropout] p is {}, expected 0 ≤ p < 1", p);
  if (x.shape().rank() == 2 && x.shape() == other.shape() && x.is_contiguous() && other.is_contiguous()) {
    return;
  }
  fail("[dropout] x is {}, {} is {}: expected [rows, E] twice, contiguous", x.shape().to_string(), name,
       other.shape().to_string());
}

}  // namespace

void dropout(ConstView x, const DropoutOptions& options, View y) {
  check_dropout(x, y, "the result", options.p);
  kernels::dropout_rows(x.data(), nullptr, x.shape()[0], x.shape()[1], options.p, options.seed, y.data());
}

void add_dropout(ConstView x, ConstView residual, const DropoutOptions& options, View y) {
  check_dropout(x, y, "the result", options.p);
  check_dropout(x, residual, "the residual", options.p);
  kernels::dropout_rows(x.data(), residual.data(), x.shape()[0], x.shape()[1], options.p, options.seed,
                        y.data());
}

}  // namespace internal
}  // namespace fovea
