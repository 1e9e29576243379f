#include "ops/normalization.h"

#include "core/fail.h"
#include "kernels/normalization.h"
#include "kernels/normalization_backward.h"

namespace fovea {
inline namespace internal {
namespace {

void check_width(const char* op, const char* name, const Shape& x, const Shape& parameter) {
  if (x.rank() >= 1 && parameter.rank() == 1 && parameter[0] == x.back()) return;
  fail("[{}] x is {}, {} is {}: expected one value per feature", op, x.to_string(), name,
       parameter.to_string());
}

void check_rows(const char* op, const char* name, const Shape& x, const ConstView& other) {
  if (x.rank() == 2 && other.shape() == x && other.is_contiguous()) return;
  fail("[{}] x is {}, {} is {}: expected [rows, E], contiguous", op, x.to_string(), name,
       other.shape().to_string());
}

kernels::NormBackwardProblem checked_problem(const char* op, const NormBackward& norm) {
  const Shape& x = norm.x.shape();
  check_rows(op, "x", x, norm.x);
  check_rows(op, "dy", x, norm.dy);
  check_rows(op, "dx", x, norm.dx);
  check_width(op, "weight", x, norm.weight.shape());
  check_width(op, "dweight", x, norm.dweight.shape());
  return {norm.x.data(),       norm.dy.data(), x[0],           x[1],
          norm.weight.data(),  norm.epsilon,   norm.dx.data(), norm.add,
          norm.dweight.data(), nullptr};
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

void layer_norm_backward(const NormBackward& norm, View dbias) {
  kernels::NormBackwardProblem problem = checked_problem("layer norm", norm);
  check_width("layer norm", "dbias", norm.x.shape(), dbias.shape());
  problem.dbias = dbias.data();
  kernels::layer_norm_backward(problem);
}

void rms_norm_backward(const NormBackward& norm) {
  kernels::rms_norm_backward(checked_problem("rms norm", norm));
}

}  // namespace internal
}  // namespace fovea
