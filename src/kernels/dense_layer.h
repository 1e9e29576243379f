// y = activation(x Wᵀ + bias) with weights packed once: the plain face of the SIMD code.
#pragma once

#include "fovea/tensor.h"
#include "kernels/activation.h"

namespace fovea {

// W [F, E] as panels [⌈F / 48⌉, E, 48], the last one filled up with zeros: the register tile reads whole
// vectors of outputs, one input after the other, and so does a single row, from the first number to the
// last. The same for every instruction set. It is filled block by block, so that no second copy is needed.
class PackedWeights {
 public:
  // Outputs that lie side by side: three vectors of 64 bytes, or six of 32.
  static constexpr Index kPanelOutputs = 48;

  PackedWeights() = default;
  PackedWeights(Index outputs, Index inputs);  // to be filled
  explicit PackedWeights(ConstView w);         // [F, E], any strides

  Index outputs() const { return outputs_; }
  Index inputs() const { return inputs_; }

  // W [first_output.., first_input..] = block [outputs, inputs], any strides; in parallel.
  void set(Index first_output, Index first_input, ConstView block);
  // Row `output` of W, [E].
  void copy_row(Index output, float* to) const;
  // W [.., begin..end], [F, end − begin].
  Tensor columns(Index begin, Index end) const;

  Index panels() const { return (outputs_ + kPanelOutputs - 1) / kPanelOutputs; }
  const float* panel(Index p) const { return panels_.data() + p * inputs_ * kPanelOutputs; }

 private:
  Index outputs_ = 0, inputs_ = 0;
  Tensor panels_;
};

// What becomes of y = activation(x Wᵀ + bias).
enum class DenseEnd {
  store,     // out = y
  add,       // out += y: the residual stream
  multiply,  // out = out · y: the gate of a feed-forward layer
};

}  // namespace fovea

namespace fovea::kernels {

// x [rows, E] with rows x_stride apart, out [rows, F] with rows out_stride apart; bias [F] or null.
struct DenseProblem {
  const float* x;
  Index x_stride, rows;
  const PackedWeights& weights;
  const float* bias;
  float* out;
  Index out_stride;
  Activation activation = Activation::none;
  DenseEnd end = DenseEnd::store;
};

// Pieces of 64 rows and 48 outputs run in parallel, each with some KiB of scratch on the stack; bias,
// activation and the rest are applied while a piece is in L1. A sum over the inputs runs in blocks of 192,
// in order: bits depend neither on the threads nor on the number of rows.
void dense_layer(const DenseProblem& problem);

}  // namespace fovea::kernels
