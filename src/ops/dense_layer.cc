#include "ops/dense_layer.h"

#include <vector>

#include "core/fail.h"
#include "fovea/instruction_set.h"

namespace fovea {

Shape dense_shape(const Shape& x, const PackedWeights& weights) {
  if (x.rank() < 1 || x.back() != weights.inputs()) {
    fail("[linear] x is {}, expected [.., {}]", x.to_string(), weights.inputs());
  }
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) extents.push_back(x[axis]);
  extents.push_back(weights.outputs());
  return Shape(extents);
}

void dense_layer(ConstView x, const PackedWeights& weights, const DenseOptions& options, View out) {
  const Shape wanted = dense_shape(x.shape(), weights);
  if (!(out.shape() == wanted) || !out.is_contiguous()) {
    fail("[linear] the result is {}, expected {}, contiguous", out.shape().to_string(), wanted.to_string());
  }
  if (!kernels::can_multiply(weights)) {
    fail("[linear] the weights were packed for narrower vectors: load the model again for {}",
         instruction_set());
  }
  if (wanted.elements() == 0) return;
  Tensor copy;
  if (!x.is_contiguous()) x = copy = Tensor::copy_of(x);
  kernels::dense_layer({x.data(), weights.inputs(), wanted.elements() / weights.outputs(), weights,
                        options.bias, out.data(), weights.outputs(), options.activation, options.end});
}

}  // namespace fovea
