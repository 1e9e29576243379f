#include "ops/activation.h"

#include "core/fail.h"
#include "kernels/activation_backward.h"

namespace fovea {
inline namespace internal {
namespace {

void check_alike(const char* name, const ConstView& x, const ConstView& other) {
  if (x.shape() == other.shape() && x.is_contiguous() && other.is_contiguous()) return;
  fail("[activation] x is {}, {} is {}: expected the same, contiguous", x.shape().to_string(), name,
       other.shape().to_string());
}

void check_gated(const char* name, const ConstView& x, const ConstView& y) {
  const Shape &wide = x.shape(), &narrow = y.shape();
  const bool fits =
      wide.rank() == 2 && narrow.rank() == 2 && wide[0] == narrow[0] && wide[1] == 2 * narrow[1];
  if (fits && x.is_contiguous() && y.is_contiguous()) return;
  fail("[activation] x is {}, {} is {}: expected [rows, 2 F] and [rows, F], contiguous", wide.to_string(),
       name, narrow.to_string());
}

}  // namespace

void activate(Activation activation, ConstView x, View y) {
  check_alike("the result", x, y);
  kernels::activate(activation, x.data(), x.shape().elements(), y.data());
}

void activate_backward(Activation activation, ConstView x, ConstView dy, View dx) {
  check_alike("dy", x, dy);
  check_alike("dx", x, dx);
  kernels::activate_backward(activation, x.data(), dy.data(), x.shape().elements(), dx.data());
}

void activate_gated(Activation activation, ConstView x, View y) {
  check_gated("the result", x, y);
  kernels::activate_gated(activation, x.data(), x.shape()[0], y.shape()[1], y.data());
}

void activate_gated_backward(Activation activation, ConstView x, ConstView dy, View dx) {
  check_gated("dy", x, dy);
  check_alike("dx", x, dx);
  kernels::activate_gated_backward(activation, x.data(), dy.data(), x.shape()[0], dy.shape()[1], dx.data());
}

}  // namespace internal
}  // namespace fovea
