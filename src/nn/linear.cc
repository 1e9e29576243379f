#include "nn/linear.h"

#include <utility>

#include "core/fail.h"
#include "ops/projection.h"

namespace fovea {

Linear::Linear(std::shared_ptr<const Tensor> weight, Tensor bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
  const Shape& shape = weight_->shape();
  if (shape.rank() != 2) fail("[linear] the weight is {}, expected [outputs, inputs]", shape.to_string());
  if (!bias_.empty() && !(bias_.shape() == Shape{shape[0]})) {
    fail("[linear] the bias is {}, expected [{}]", bias_.shape().to_string(), shape[0]);
  }
}

Tensor Linear::operator()(ConstView x, Activation activation) const {
  Tensor y = project_transposed("linear", x, *weight_, bias_.data(), "weight");
  activate(y, activation);
  return y;
}

Tensor Linear::weight_columns(Index begin, Index end) const {
  return Tensor::copy_of(weight_->view().slice(0, begin, end).transpose(0, 1));
}

Tensor Linear::bias_columns(Index begin, Index end) const {
  if (bias_.empty()) return {};
  return Tensor::copy_of(bias_.view().slice(0, begin, end));
}

}  // namespace fovea
