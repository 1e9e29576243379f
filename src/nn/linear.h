// A dense layer: x Wᵀ + b, then an activation.
#pragma once

#include <memory>

#include "fovea/tensor.h"
#include "ops/activation.h"

namespace fovea {

// Weights are shared, because an output layer is often the table of embeddings, once more. Every dense
// layer of every model is one of these.
class Linear {
 public:
  Linear() = default;
  explicit Linear(std::shared_ptr<const Tensor> weight, Tensor bias = {});  // [F, E]; [F], or empty

  bool empty() const { return weight_ == nullptr; }
  Index outputs() const { return weight_->shape()[0]; }

  // x [.., E] → activation(x Wᵀ + b) [.., F].
  Tensor operator()(ConstView x, Activation activation = Activation::none) const;

  // Outputs begin .. end − 1, for people to look at: [E, end − begin], and [end − begin] or empty().
  Tensor weight_columns(Index begin, Index end) const;
  Tensor bias_columns(Index begin, Index end) const;

 private:
  std::shared_ptr<const Tensor> weight_;
  Tensor bias_;
};

}  // namespace fovea
