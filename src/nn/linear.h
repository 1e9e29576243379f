// A dense layer: x Wᵀ + b, then an activation.
#pragma once

#include <memory>

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "ops/dense_layer.h"

namespace fovea {
inline namespace internal {

// Weights are packed for the product, and shared, because an output layer is often the table of embeddings,
// once more. Every dense layer of every model is one of these.
class FOVEA_PRIVATE_API Linear {
 public:
  Linear() = default;
  explicit Linear(std::shared_ptr<const PackedWeights> weight, Tensor bias = {});  // [F, E]; [F], or empty
  explicit Linear(ConstView weight, Tensor bias = {});

  bool empty() const { return weight_ == nullptr; }
  Index outputs() const { return weight_->outputs(); }
  Index inputs() const { return weight_->inputs(); }
  Precision precision() const { return weight_->precision(); }  // of its products

  // x [.., E] → activation(x Wᵀ + b) [.., F].
  Tensor operator()(ConstView x, Activation activation = Activation::none) const;
  // The same into `out`, which is used again if it has the right shape.
  void store(ConstView x, Tensor& out, Activation activation = Activation::none) const;
  // x [B, N, E] → x Wᵀ + b, its F / D heads apart: [B, F / D, N, D] with D = head_width.
  void store_heads(ConstView x, Index head_width, View out) const;
  void add(ConstView x, View out) const;       // out += x Wᵀ + b
  void multiply(ConstView x, View out) const;  // out = out · (x Wᵀ + b)

  // Outputs begin .. end − 1, for people to look at: [E, end − begin], and [end − begin] or empty().
  Tensor weight_columns(Index begin, Index end) const;
  Tensor bias_columns(Index begin, Index end) const;

 private:
  std::shared_ptr<const PackedWeights> weight_;
  Tensor bias_;
};

}  // namespace internal
}  // namespace fovea
