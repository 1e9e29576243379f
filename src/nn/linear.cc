#include "nn/linear.h"

#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

std::shared_ptr<const PackedWeights> packed(ConstView weight) {
  const Shape& shape = weight.shape();
  if (shape.rank() != 2) fail("[linear] the weight is {}, expected [outputs, inputs]", shape.to_string());
  return std::make_shared<const PackedWeights>(weight);
}

void check_outputs(Index begin, Index end, Index outputs) {
  if (begin >= 0 && end >= begin && end <= outputs) return;
  fail("[linear] got outputs {} to {}, there are only {}", begin, end, outputs);
}

}  // namespace

Linear::Linear(std::shared_ptr<const PackedWeights> weight, Tensor bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
  if (!bias_.empty() && !(bias_.shape() == Shape{outputs()})) {
    fail("[linear] the bias is {}, expected [{}]", bias_.shape().to_string(), outputs());
  }
}

Linear::Linear(ConstView weight, Tensor bias) : Linear(packed(weight), std::move(bias)) {}

Tensor Linear::operator()(ConstView x, Activation activation) const {
  Tensor y;
  store(x, y, activation);
  return y;
}

void Linear::store(ConstView x, Tensor& out, Activation activation) const {
  const Shape shape = dense_shape(x.shape(), *weight_);
  if (!(out.shape() == shape)) out = Tensor::uninitialized(shape);
  dense_layer(x, *weight_, {bias_.data(), activation, DenseEnd::store}, out.view());
}

void Linear::store_heads(ConstView x, Index head_width, View out) const {
  dense_heads(x, *weight_, bias_.data(), head_width, out);
}

void Linear::add(ConstView x, View out) const {
  dense_layer(x, *weight_, {bias_.data(), Activation::none, DenseEnd::add}, out);
}

void Linear::multiply(ConstView x, View out) const {
  dense_layer(x, *weight_, {bias_.data(), Activation::none, DenseEnd::multiply}, out);
}

Tensor Linear::weight_columns(Index begin, Index end) const {
  check_outputs(begin, end, outputs());
  return weight_->columns(begin, end);
}

Tensor Linear::bias_columns(Index begin, Index end) const {
  check_outputs(begin, end, outputs());
  if (bias_.empty()) return {};
  return Tensor::copy_of(bias_.view().slice(0, begin, end));
}

}  // namespace fovea
