// y = x Wᵀ + bias with weights packed once: the plain face of the SIMD code.
#pragma once

#include "fovea/tensor.h"

namespace fovea::kernels {

// Outputs that lie side by side in packed weights: three vectors of 64 bytes, or six of 32.
inline constexpr Index kPanelOutputs = 48;

// W [F, E] as panels [⌈F / 48⌉, E, 48], the last one filled up with zeros: the register tile reads whole
// vectors of outputs, one input after the other. The same for every instruction set.
class PackedWeights {
 public:
  PackedWeights() = default;
  explicit PackedWeights(ConstView w);  // [F, E], any strides; in parallel

  Index outputs() const { return outputs_; }
  Index inputs() const { return inputs_; }
  Index panels() const { return (outputs_ + kPanelOutputs - 1) / kPanelOutputs; }
  const float* panel(Index p) const { return panels_.data() + p * inputs_ * kPanelOutputs; }

 private:
  Index outputs_ = 0, inputs_ = 0;
  Tensor panels_;
};

// x [rows, E] with rows x_stride apart, out [rows, F] with rows out_stride apart; bias [F] or null. Pieces
// of 64 rows and 48 outputs run in parallel, each with 6 KiB of scratch on the stack. A sum over the inputs
// runs in blocks of 192, in order: bits depend neither on the threads nor on the other rows.
struct DenseProblem {
  const float* x;
  Index x_stride, rows;
  const PackedWeights& weights;
  const float* bias;
  float* out;
  Index out_stride;
};
void dense_layer(const DenseProblem& problem);

}  // namespace fovea::kernels
