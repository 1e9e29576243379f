#include "kernels/dense_layer.h"

#include <algorithm>

#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/instruction_set.h"

#ifndef FOVEA_KERNELS_DENSE_BLOCKS
#define FOVEA_KERNELS_DENSE_BLOCKS
namespace fovea::kernels {

constexpr Index kPanelOutputs = PackedWeights::kPanelOutputs;
constexpr Index kRowBlock = 64;     // their inputs stay in L2 while panel after panel is used
constexpr Index kInputBlock = 192;  // so many inputs of half a panel stay in L1

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_DENSE_BLOCKS

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_layer.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/activation-inl.h"
#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

template <DenseEnd kEnd>
HWY_INLINE FloatVector Combined(FloatVector y, FloatVector out) {
  if constexpr (kEnd == DenseEnd::add) return hn::Add(out, y);
  if constexpr (kEnd == DenseEnd::multiply) return hn::Mul(out, y);
  return y;
}

// sums [rows, width] → out [rows, columns ≤ width]; bias [width]. The last vector of a row may be a partial
// one; it goes through a buffer, so that the same instructions serve every output.
template <DenseEnd kEnd, class Function>
HWY_INLINE void FinishRows(const float* HWY_RESTRICT sums, Index rows, Index width, Index columns,
                           const float* HWY_RESTRICT bias, float* HWY_RESTRICT out, Index out_stride,
                           const Function& function) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < rows; ++r, sums += width, out += out_stride) {
    Index c = 0;
    for (; c + lanes <= columns; c += lanes) {
      const FloatVector y = function(hn::Add(hn::Load(d, sums + c), hn::Load(d, bias + c)));
      hn::StoreU(Combined<kEnd>(y, hn::LoadU(d, out + c)), d, out + c);
    }
    if (c == columns) continue;
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy(out + c, out + columns, rest);
    const FloatVector y = function(hn::Add(hn::Load(d, sums + c), hn::Load(d, bias + c)));
    hn::Store(Combined<kEnd>(y, hn::Load(d, rest)), d, rest);
    std::copy(rest, rest + (columns - c), out + c);
  }
}

// Rows from `first` on, outputs from `column` on: sums [rows, width] to their place.
void Finish(const DenseProblem& p, const float* sums, Index first, Index rows, Index column, Index width) {
  const Index columns = std::min(width, p.weights.outputs() - column);
  HWY_ALIGN float bias[kPanelOutputs] = {};
  if (p.bias != nullptr) std::copy_n(p.bias + column, columns, bias);
  float* out = p.out + first * p.out_stride + column;
  WithActivation(p.activation, [&](const auto& function) {
    switch (p.end) {
      case DenseEnd::store:
        return FinishRows<DenseEnd::store>(sums, rows, width, columns, bias, out, p.out_stride, function);
      case DenseEnd::add:
        return FinishRows<DenseEnd::add>(sums, rows, width, columns, bias, out, p.out_stride, function);
      case DenseEnd::multiply:
        return FinishRows<DenseEnd::multiply>(sums, rows, width, columns, bias, out, p.out_stride,
                                              function);
    }
  });
}

// Rows [first, first + rows) and the outputs of one panel.
void RunPiece(const DenseProblem& p, Index first, Index rows, Index panel) {
  const Index width = 3 * static_cast<Index>(hn::Lanes(Floats()));
  HWY_ALIGN float sums[(kRowBlock + 4) * kPanelOutputs];
  const float* x = p.x + first * p.x_stride;
  const Index begin = panel * kPanelOutputs, end = std::min(begin + kPanelOutputs, p.weights.outputs());
  const Index inputs = p.weights.inputs();
  for (Index column = begin; column < end; column += width) {
    const float* w = p.weights.panel(panel) + (column - begin);
    Index t = 0;
    do {  // once for no inputs, too: the sums become zeros
      const Index depth = std::min(kInputBlock, inputs - t);
      const auto multiply =
          t == 0 ? MultiplyRows<3, TileEnd::store, true> : MultiplyRows<3, TileEnd::add, true>;
      multiply({x + t, p.x_stride, 1}, rows, w + t * kPanelOutputs, kPanelOutputs, depth, sums, width,
               nullptr, nullptr);
      t += kInputBlock;
    } while (t < inputs);
    Finish(p, sums, first, rows, column, width);
  }
}

#define FOVEA_ROW_STEP(n) \
  if constexpr (NV > n) a##n = hn::MulAdd(factor, hn::LoadU(d, w + n * lanes), a##n);
#define FOVEA_ROW_ADD(n) \
  if constexpr (NV > n) s##n = hn::Add(a##n, s##n);
#define FOVEA_ROW_STORE(n) \
  if constexpr (NV > n) hn::Store(s##n, d, sums + n * lanes);

// One row: sums [NV · lanes] = x [inputs] · w [inputs, NV · lanes], in the order of RunPiece. Reading the
// weights takes longer than anything else.
template <int NV>
HWY_INLINE void MultiplyOneRow(const float* HWY_RESTRICT x, const float* HWY_RESTRICT w, Index inputs,
                               float* HWY_RESTRICT sums) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  for (Index t = 0; t < inputs;) {
    FloatVector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
    for (const Index end = std::min(t + kInputBlock, inputs); t < end; ++t, w += kPanelOutputs) {
      const FloatVector factor = hn::Set(d, x[t]);
      FOVEA_ROW_STEP(0)
      FOVEA_ROW_STEP(1) FOVEA_ROW_STEP(2) FOVEA_ROW_STEP(3) FOVEA_ROW_STEP(4) FOVEA_ROW_STEP(5)
    }
    FOVEA_ROW_ADD(0) FOVEA_ROW_ADD(1) FOVEA_ROW_ADD(2) FOVEA_ROW_ADD(3) FOVEA_ROW_ADD(4) FOVEA_ROW_ADD(5)
  }
  FOVEA_ROW_STORE(0)
  FOVEA_ROW_STORE(1) FOVEA_ROW_STORE(2) FOVEA_ROW_STORE(3) FOVEA_ROW_STORE(4) FOVEA_ROW_STORE(5)
}
#undef FOVEA_ROW_STEP
#undef FOVEA_ROW_ADD
#undef FOVEA_ROW_STORE

// One row and the outputs of some panels.
void RunRow(const DenseProblem& p, Index first_panel, Index end_panel) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  const bool whole = 6 * lanes <= kPanelOutputs;  // else 3 vectors are a panel
  const Index width = (whole ? 6 : 3) * lanes;
  HWY_ALIGN float sums[kPanelOutputs];
  for (Index panel = first_panel; panel < end_panel; ++panel) {
    for (Index column = 0; column < kPanelOutputs; column += width) {
      const Index output = panel * kPanelOutputs + column;
      if (output >= p.weights.outputs()) return;
      const auto multiply = whole ? MultiplyOneRow<6> : MultiplyOneRow<3>;
      multiply(p.x, p.weights.panel(panel) + column, p.weights.inputs(), sums);
      Finish(p, sums, 0, 1, output, width);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RunPiece);
HWY_EXPORT(RunRow);

void dense_layer(const DenseProblem& problem) {
  apply_forced_instruction_set();
  const Index panels = problem.weights.panels();
  if (problem.rows == 1) {
    // Each thread reads some panels from end to end.
    const Index group = std::clamp<Index>(panels / (4 * thread_count()), 1, 8);
    parallel_for((panels + group - 1) / group, [&](Index g) {
      HWY_DYNAMIC_DISPATCH(RunRow)(problem, g * group, std::min(panels, (g + 1) * group));
    });
    return;
  }
  const Index blocks = (problem.rows + kRowBlock - 1) / kRowBlock;
  parallel_for(blocks * panels, [&](Index piece) {
    const Index first = piece / panels * kRowBlock;
    HWY_DYNAMIC_DISPATCH(RunPiece)
    (problem, first, std::min(kRowBlock, problem.rows - first), piece % panels);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
