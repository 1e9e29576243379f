#include "ops/normalization.h"

#include "kernels/normalization.h"
#include "ops/normalization_checks.h"

namespace fovea {
inline namespace internal {
namespace {

Index rows_of(const Tensor& x) {
  const Index width = x.shape().back();
  return width == 0 ? 0 : x.shape().elements() / width;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon) {
  Tensor out;
  layer_norm(x, weight, bias, epsilon, out);
  return out;
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon) {
  Tensor out;
  rms_norm(x, weight, epsilon, out);
  return out;
}

void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon, Tensor& out) {
  check_width("layer norm", "weight", x.shape(), weight.shape());
  check_width("layer norm", "bias", x.shape(), bias.shape());
  if (!(out.shape() == x.shape())) out = Tensor::uninitialized(x.shape());
  kernels::layer_norm(x.data(), rows_of(x), x.shape().back(), weight.data(), bias.data(), epsilon,
                      out.data());
}

void rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Tensor& out) {
  check_width("rms norm", "weight", x.shape(), weight.shape());
  if (!(out.shape() == x.shape())) out = Tensor::uninitialized(x.shape());
  kernels::rms_norm(x.data(), rows_of(x), x.shape().back(), weight.data(), epsilon, out.data());
}

void layer_norm(ConstView x, ConstView weight, ConstView bias, float epsilon, View out) {
  check_rows("layer norm", "the result", x.shape(), out);
  check_rows("layer norm", "x", x.shape(), x);
  check_width("layer norm", "weight", x.shape(), weight.shape());
  check_width("layer norm", "bias", x.shape(), bias.shape());
  kernels::layer_norm(x.data(), x.shape()[0], x.shape()[1], weight.data(), bias.data(), epsilon,
                      out.data());
}

void rms_norm(ConstView x, ConstView weight, float epsilon, View out) {
  check_rows("rms norm", "the result", x.shape(), out);
  check_rows("rms norm", "x", x.shape(), x);
  check_width("rms norm", "weight", x.shape(), weight.shape());
  kernels::rms_norm(x.data(), x.shape()[0], x.shape()[1], weight.data(), epsilon, out.data());
}

}  // namespace internal
}  // namespace fovea
