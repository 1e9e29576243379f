#include "ops/dense_layer.h"

#include <vector>

#include "core/fail.h"
#include "fovea/instruction_set.h"

namespace fovea {

void dense_layer(ConstView x, const PackedWeights& weights, const DenseOptions& options, Tensor& out) {
  const Shape& shape = x.shape();
  if (shape.rank() < 1 || shape.back() != weights.inputs()) {
    fail("[linear] x is {}, expected [.., {}]", shape.to_string(), weights.inputs());
  }
  if (!kernels::can_multiply(weights)) {
    fail("[linear] the weights were packed for narrower vectors: load the model again for {}",
         instruction_set());
  }
  std::vector<Index> extents;
  Index rows = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    extents.push_back(shape[axis]);
    rows *= shape[axis];
  }
  extents.push_back(weights.outputs());
  const Shape wanted(extents);
  if (!(out.shape() == wanted)) {
    if (options.end != DenseEnd::store) {
      fail("[linear] the result is {}, expected {}", out.shape().to_string(), wanted.to_string());
    }
    out = Tensor::uninitialized(wanted);
  }
  if (rows == 0 || weights.outputs() == 0) return;
  Tensor copy;
  if (!x.is_contiguous()) x = copy = Tensor::copy_of(x);
  kernels::dense_layer({x.data(), weights.inputs(), rows, weights, options.bias, out.data(),
                        weights.outputs(), options.activation, options.end});
}

}  // namespace fovea
