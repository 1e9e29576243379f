#include "train/norm.h"

#include "ops/normalization.h"

namespace fovea {

void NormLayer::forward(ConstView x, View y) const {
  if (bias == nullptr) return rms_norm(x, weight, epsilon, y);
  layer_norm(x, weight, ConstView(bias, weight.shape()), epsilon, y);
}

void NormLayer::run_backward(ConstView x, ConstView dy, View dx, bool add) const {
  const NormBackward norm = {x, dy, weight, epsilon, dx, add, dweight};
  if (bias == nullptr) return rms_norm_backward(norm);
  layer_norm_backward(norm, View(dbias, weight.shape()));
}

}  // namespace fovea
