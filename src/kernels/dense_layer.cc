#include "kernels/dense_layer.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#ifndef FOVEA_KERNELS_DENSE_BLOCKS
#define FOVEA_KERNELS_DENSE_BLOCKS
namespace fovea::kernels {

constexpr Index kRowBlock = 64;     // their inputs stay in L2 while panel after panel is used
constexpr Index kInputBlock = 192;  // so many inputs of half a panel stay in L1

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_DENSE_BLOCKS

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_layer.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// sums [rows, width] + bias → out, `columns` of the width.
HWY_INLINE void StoreRows(const float* HWY_RESTRICT sums, Index rows, Index width, Index columns,
                          const float* HWY_RESTRICT bias, float* HWY_RESTRICT out, Index out_stride) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < rows; ++r, sums += width, out += out_stride) {
    Index c = 0;
    for (; c + lanes <= columns; c += lanes) {
      const FloatVector sum = hn::Load(d, sums + c);
      hn::StoreU(bias == nullptr ? sum : hn::Add(sum, hn::LoadU(d, bias + c)), d, out + c);
    }
    for (; c < columns; ++c) out[c] = sums[c] + (bias == nullptr ? 0.0f : bias[c]);
  }
}

// Rows [first, first + rows) and the outputs of one panel.
void RunPiece(const DenseProblem& p, Index first, Index rows, Index panel) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats())), width = 3 * lanes;
  HWY_ALIGN float sums[(kRowBlock + 4) * kPanelOutputs];
  const float* x = p.x + first * p.x_stride;
  const Index begin = panel * kPanelOutputs, end = std::min(begin + kPanelOutputs, p.weights.outputs());
  const Index inputs = p.weights.inputs();
  for (Index column = begin; column < end; column += width) {
    const float* w = p.weights.panel(panel) + (column - begin);
    for (Index t = 0; t < inputs; t += kInputBlock) {
      const Index depth = std::min(kInputBlock, inputs - t);
      const auto multiply =
          t == 0 ? MultiplyRows<3, TileEnd::store, true> : MultiplyRows<3, TileEnd::add, true>;
      multiply({x + t, p.x_stride, 1}, rows, w + t * kPanelOutputs, kPanelOutputs, depth, sums, width,
               nullptr, nullptr);
    }
    StoreRows(sums, rows, width, std::min(width, end - column),
              p.bias == nullptr ? nullptr : p.bias + column, p.out + first * p.out_stride + column,
              p.out_stride);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RunPiece);

PackedWeights::PackedWeights(ConstView w)
    : outputs_(w.shape()[0]),
      inputs_(w.shape()[1]),
      panels_(Tensor::uninitialized({panels(), inputs_, kPanelOutputs})) {
  parallel_for(panels(), [&](Index p) {
    float* to = panels_.data() + p * inputs_ * kPanelOutputs;
    const Index begin = p * kPanelOutputs, count = std::min(kPanelOutputs, outputs_ - begin);
    if (count < kPanelOutputs) std::fill_n(to, inputs_ * kPanelOutputs, 0.0f);
    for (Index f = 0; f < count; ++f) {
      const float* from = w.data() + (begin + f) * w.stride(0);
      for (Index t = 0; t < inputs_; ++t) to[t * kPanelOutputs + f] = from[t * w.stride(1)];
    }
  });
}

void dense_layer(const DenseProblem& problem) {
  apply_forced_instruction_set();
  const Index panels = problem.weights.panels(), blocks = (problem.rows + kRowBlock - 1) / kRowBlock;
  if (problem.weights.inputs() == 0) return;
  parallel_for(blocks * panels, [&](Index piece) {
    const Index first = piece / panels * kRowBlock;
    HWY_DYNAMIC_DISPATCH(RunPiece)
    (problem, first, std::min(kRowBlock, problem.rows - first), piece % panels);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
