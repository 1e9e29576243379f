// y = activation(x Wᵀ + bias) with weights packed once: the plain face of the SIMD code.
#pragma once

#include <cstdint>

#include "fovea/api.h"
#include "fovea/float_type.h"
#include "fovea/precision.h"
#include "fovea/tensor.h"
#include "kernels/activation.h"

namespace fovea {
inline namespace internal {

// W [F, E] as panels [⌈F / P⌉, E, P], the last one filled up with zeros: the register tile reads whole
// vectors of outputs, one input after the other, and so does a single row, from the first number to the
// last. P is three vectors: 48 outputs where vectors have 64 bytes, else 24. (48 for all was 4 to 20 %
// slower with vectors of 32 bytes: half a panel does not lie side by side, and neighbouring cache lines are
// fetched in vain.) Filled block by block, so that no second copy is needed.
//
// The panels are kept in `type`, and widened to float32 in registers: everything is computed in float32.
// Relative L2 error of a layer's output for N(0, 1) inputs and weights, up to 4,096 inputs, against the
// same with float32:
//   bfloat16   ≤ 2e-3, half the memory
//   float16    ≤ 2.5e-4, half the memory; over 65,519 becomes infinity
//   int8       ≤ 1.2e-2, a quarter and 4 bytes per output: each row of W is scaled by its largest number,
//              which becomes 127; a row with a number that is not finite becomes NaN
// Bits are those of the rounded weights kept in float32; of int8, of the whole numbers, with the scale
// applied once to each sum.
//
// With Precision::bfloat16 the inputs are rounded to bfloat16 as well, see bfloat16_dense_layer.h, and the
// type is bfloat16. Panels are then 32 outputs wide on every processor and made of pairs, as tiles of AMX
// read them: [⌈F / 32⌉, ⌈E / 32⌉ · 16, 32] of two inputs each, the first in the lower half; what is missing
// is 0.
class FOVEA_PRIVATE_API PackedWeights {
 public:
  PackedWeights() = default;
  PackedWeights(Index outputs, Index inputs, FloatType type = FloatType::float32,
                Precision precision = Precision::float32);  // to be filled
  explicit PackedWeights(ConstView w, FloatType type = FloatType::float32,
                         Precision precision = Precision::float32);  // [F, E], any strides

  Index outputs() const { return outputs_; }
  Index inputs() const { return inputs_; }
  FloatType type() const { return type_; }
  Precision precision() const { return precision_; }  // of the products

  // W [first_output.., first_input..] = block [outputs, inputs], any strides; in parallel. Of int8, whole
  // rows of W: their scale depends on all of their numbers.
  void set(Index first_output, Index first_input, ConstView block);
  // Row `output` of W, [E].
  void copy_row(Index output, float* to) const;
  // Rows [begin, end) of W, transposed: [E, end − begin].
  Tensor columns(Index begin, Index end) const;

  Index panel_outputs() const { return panel_outputs_; }
  Index panels() const { return (outputs_ + panel_outputs_ - 1) / panel_outputs_; }
  Index panel_inputs() const { return panel_inputs_; }  // E, or whole tiles of it
  // Stored is the type of an element (kernels/stored.h).
  template <typename Stored>
  const Stored* panel(Index p) const {
    return reinterpret_cast<const Stored*>(memory_.data()) + p * panel_inputs_ * panel_outputs_;
  }
  // Of Precision::bfloat16: [panel_inputs() / 2, 32].
  const std::uint32_t* panel_pairs(Index p) const {
    return reinterpret_cast<const std::uint32_t*>(memory_.data()) + p * panel_inputs_ / 2 * panel_outputs_;
  }
  // Of int8: [panels · P], 0 where there is no output. Else null.
  const float* scales() const { return scales_.data(); }

 private:
  template <typename Stored>
  void set_panel(Index panel, Index first_output, Index first_input, ConstView block);
  bool in_pairs() const { return precision_ == Precision::bfloat16; }
  // Where an element stands in its panel. Those of the next output are one further, in pairs two.
  Index place(Index input, Index column) const {
    return in_pairs() ? (input / 2 * panel_outputs_ + column) * 2 + input % 2
                      : input * panel_outputs_ + column;
  }

  Index outputs_ = 0, inputs_ = 0, panel_outputs_ = 1, panel_inputs_ = 0;
  FloatType type_ = FloatType::float32;
  Precision precision_ = Precision::float32;
  Tensor memory_;  // the panels, in whole floats of memory
  Tensor scales_;
};

// What becomes of y = activation(x Wᵀ + bias).
enum class DenseEnd {
  store,     // out = y
  add,       // out += y: the residual stream
  multiply,  // out = out · y: the gate of a feed-forward layer
};

}  // namespace internal
}  // namespace fovea

namespace fovea::kernels {

// Where results go: out [rows, F], or, if there is a head width D, out [rows / tokens, F / D, tokens, D],
// every head's rows side by side, as attention reads them best.
struct DenseResult {
  float* out;
  Index head_width = 0, tokens = 0;
};

// x [rows, E]; bias [F] or null.
struct DenseProblem {
  const float* x;
  Index rows;
  const PackedWeights& weights;
  const float* bias;
  DenseResult result;
  Activation activation = Activation::none;
  DenseEnd end = DenseEnd::store;
};

// Pieces of 64 rows and 48 outputs run in parallel, each with some KiB of scratch on the stack; bias,
// activation and the rest are applied while a piece is in L1. Weights of 16 and 8 bits are widened 192
// inputs at a time, once per piece, into 36 KiB more; for a single row, as they are loaded. A sum over the
// inputs runs in blocks of 192, in order: bits depend neither on the threads nor on the number of rows. The
// weights' panels must be made of strips of three vectors of the instruction set in use, see can_multiply.
void dense_layer(const DenseProblem& problem);

// False for weights that were packed before wider vectors were chosen (force_instruction_set).
bool can_multiply(const PackedWeights& weights);

}  // namespace fovea::kernels
