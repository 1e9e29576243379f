#include "ops/activation.h"

#include "core/fail.h"

namespace fovea {
namespace {

void check_same_shape(const char* op, const Tensor& x, const Tensor& y) {
  if (x.shape() == y.shape()) return;
  fail("[{}] shapes {} and {} differ", op, x.shape().to_string(), y.shape().to_string());
}

}  // namespace

void activate(Tensor& x, Activation activation) {
  kernels::activate(x.data(), x.shape().elements(), activation);
}

void activate_gated(Tensor& x, const Tensor& gate, Activation activation) {
  check_same_shape("gate", x, gate);
  kernels::activate_gated(x.data(), gate.data(), x.shape().elements(), activation);
}

void add(Tensor& x, const Tensor& y) {
  check_same_shape("add", x, y);
  kernels::add(x.data(), y.data(), x.shape().elements());
}

}  // namespace fovea
