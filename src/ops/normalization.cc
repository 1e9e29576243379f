#include "ops/normalization.h"

#include "core/fail.h"
#include "kernels/normalization.h"

namespace fovea {
inline namespace internal {
namespace {

void check_width(const char* op, const char* name, const Tensor& x, const Tensor& parameter) {
  const Shape& shape = parameter.shape();
  if (x.shape().rank() >= 1 && shape.rank() == 1 && shape[0] == x.shape().back()) return;
  fail("[{}] x is {}, {} is {}: expected one value per feature", op, x.shape().to_string(), name,
       shape.to_string());
}

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
  check_width("layer norm", "weight", x, weight);
  check_width("layer norm", "bias", x, bias);
  if (!(out.shape() == x.shape())) out = Tensor::uninitialized(x.shape());
  kernels::layer_norm(x.data(), rows_of(x), x.shape().back(), weight.data(), bias.data(), epsilon,
                      out.data());
}

void rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Tensor& out) {
  check_width("rms norm", "weight", x, weight);
  if (!(out.shape() == x.shape())) out = Tensor::uninitialized(x.shape());
  kernels::rms_norm(x.data(), rows_of(x), x.shape().back(), weight.data(), epsilon, out.data());
}

}  // namespace internal
}  // namespace fovea
