#include "kernels/dense_layer.h"

#include <algorithm>
#include <type_traits>

#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/attention.h"
#include "kernels/bfloat16_dense_layer.h"
#include "kernels/instruction_set.h"
#include "kernels/panel_blocks.h"
#include "kernels/stored.h"

#ifndef FOVEA_KERNELS_DENSE_BLOCKS
#define FOVEA_KERNELS_DENSE_BLOCKS
namespace fovea::kernels {

constexpr Index kRowBlock = 64;  // their inputs stay in L2 while panel after panel is used
constexpr Index kPieceOutputs =
    48;  // whole panels and whole cache lines: no two threads write the same line

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_DENSE_BLOCKS

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_layer.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/dense_end-inl.h"
#include "kernels/panel_product-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// to [depth, 3 · lanes] = rows of a strip of weights, `stride` apart.
template <class Stored>
HWY_INLINE void WidenRows(const Stored* HWY_RESTRICT from, Index stride, Index depth,
                          float* HWY_RESTRICT to) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index t = 0; t < depth; ++t, from += stride, to += 3 * lanes) {
    hn::Store(LoadStored(d, from), d, to);
    hn::Store(LoadStored(d, from + lanes), d, to + lanes);
    hn::Store(LoadStored(d, from + 2 * lanes), d, to + 2 * lanes);
  }
}

// sums [rows, 3 · lanes] = x [rows, inputs] · a strip of weights [inputs, 3 · lanes], inputs ≥ 1.
HWY_INLINE void MultiplyStrip(const float* x, Index rows, const float* w, Index stride, Index inputs,
                              float* sums, FetchAhead* ahead) {
  const Index width = 3 * static_cast<Index>(hn::Lanes(Floats()));
  PanelProduct<3, TileWalk::along>({x, inputs, 1}, rows, w, stride, inputs, sums, sums, width, ahead);
}

// The same sums in the same order: each block of the depth is widened once, and L1 and L2 hold it for all
// rows.
template <class Stored>
HWY_INLINE void MultiplyStrip(const float* x, Index rows, const Stored* w, Index stride, Index inputs,
                              float* sums, FetchAhead* ahead) {
  const Index width = 3 * static_cast<Index>(hn::Lanes(Floats()));
  HWY_ALIGN float wide[kDepthBlock * kDenseWidth];
  for (Index t = 0; t < inputs; t += kDepthBlock) {
    const Index depth = std::min(kDepthBlock, inputs - t);
    WidenRows(w + t * stride, stride, depth, wide);
    const auto multiply = t == 0 ? MultiplyRows<3, TileEnd::store, TileWalk::along>
                                 : MultiplyRows<3, TileEnd::add, TileWalk::along>;
    multiply({x + t, inputs, 1}, rows, wide, width, depth, sums, width, sums, ahead);
  }
}

template <class Stored>
void RunPieceOf(const DenseProblem& p, Index first, Index rows, Index begin, Index end) {
  const Index width = 3 * static_cast<Index>(hn::Lanes(Floats())), stride = p.weights.panel_outputs();
  HWY_ALIGN float sums[kRowBlock * kDenseWidth + kPastTheEnd];
  const Index inputs = p.weights.inputs();
  const float* x = p.x + first * inputs;
  FetchAhead ahead;  // where the results will go
  ForParts(p, first, rows, begin, end - begin,
           [&](const ResultPart& part) { ahead.Add(part.out, part.stride, part.rows, part.columns); });
  for (Index column = begin; column < end; column += width) {
    const Stored* w = p.weights.panel<Stored>(column / stride) + column % stride;
    if (inputs == 0) {
      std::fill_n(sums, rows * width, 0.0f);
    } else {
      MultiplyStrip(x, rows, w, stride, inputs, sums, &ahead);
    }
    Finish(p, sums, first, rows, column, width);
  }
}

// Rows [first, first + rows) and outputs [begin, end).
void RunPiece(const DenseProblem& p, Index first, Index rows, Index begin, Index end) {
  with_stored_type(p.weights.type(), [&](auto* stored) {
    RunPieceOf<std::remove_cv_t<std::remove_pointer_t<decltype(stored)>>>(p, first, rows, begin, end);
  });
}

// One row: sums [2, 3 · lanes] = x [inputs] · two strips of weights, each [inputs, 3 · lanes], in the order
// of RunPiece. Two strips, because three sums would not keep the FMA units busy; reading the weights takes
// longer than anything else.
template <class Stored>
HWY_INLINE void MultiplyOneRow(const float* HWY_RESTRICT x, const Stored* HWY_RESTRICT v,
                               const Stored* HWY_RESTRICT w, Index stride, Index inputs,
                               float* HWY_RESTRICT sums) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  for (Index t = 0; t < inputs;) {
    FloatVector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
    for (const Index end = std::min(t + kDepthBlock, inputs); t < end; ++t, v += stride, w += stride) {
      const FloatVector factor = hn::Set(d, x[t]);
      a0 = hn::MulAdd(factor, LoadStored(d, v), a0);
      a1 = hn::MulAdd(factor, LoadStored(d, v + lanes), a1);
      a2 = hn::MulAdd(factor, LoadStored(d, v + 2 * lanes), a2);
      a3 = hn::MulAdd(factor, LoadStored(d, w), a3);
      a4 = hn::MulAdd(factor, LoadStored(d, w + lanes), a4);
      a5 = hn::MulAdd(factor, LoadStored(d, w + 2 * lanes), a5);
    }
    s0 = hn::Add(a0, s0), s1 = hn::Add(a1, s1), s2 = hn::Add(a2, s2);
    s3 = hn::Add(a3, s3), s4 = hn::Add(a4, s4), s5 = hn::Add(a5, s5);
  }
  hn::Store(s0, d, sums), hn::Store(s1, d, sums + lanes), hn::Store(s2, d, sums + 2 * lanes);
  sums += 3 * lanes;
  hn::Store(s3, d, sums), hn::Store(s4, d, sums + lanes), hn::Store(s5, d, sums + 2 * lanes);
}

template <class Stored>
void RunRowOf(const DenseProblem& p, Index first, Index end) {
  const Index width = 3 * static_cast<Index>(hn::Lanes(Floats())), stride = p.weights.panel_outputs();
  const auto strip = [&](Index output) {
    return p.weights.panel<Stored>(output / stride) + output % stride;
  };
  HWY_ALIGN float sums[2 * kDenseWidth + kPastTheEnd];
  end = std::min(end, p.weights.outputs());
  for (Index output = first; output < end; output += 2 * width) {
    const bool two = output + width < end;
    MultiplyOneRow(p.x, strip(output), strip(two ? output + width : output), stride, p.weights.inputs(),
                   sums);
    Finish(p, sums, 0, 1, output, width);
    if (two) Finish(p, sums + width, 0, 1, output + width, width);
  }
}

// One row and the outputs [first, end), whole panels.
void RunRow(const DenseProblem& p, Index first, Index end) {
  with_stored_type(p.weights.type(), [&](auto* stored) {
    RunRowOf<std::remove_cv_t<std::remove_pointer_t<decltype(stored)>>>(p, first, end);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RunPiece);
HWY_EXPORT(RunRow);

bool can_multiply(const PackedWeights& weights) {
  return weights.precision() == Precision::bfloat16 || weights.panel_outputs() % strip_width() == 0;
}

void dense_layer(const DenseProblem& problem) {
  apply_forced_instruction_set();
  if (problem.weights.precision() == Precision::bfloat16) {
    return bfloat16_dense_layer(problem, best_tile_unit());
  }
  const Index panels = problem.weights.panels();
  if (problem.rows == 1) {
    // Each thread reads some panels from end to end.
    const Index group = std::clamp<Index>(panels / (8 * thread_count()), 2, 16) / 2 * 2;
    const Index outputs = group * problem.weights.panel_outputs();
    parallel_for((panels + group - 1) / group, [&](Index g) {
      HWY_DYNAMIC_DISPATCH(RunRow)(problem, g * outputs, (g + 1) * outputs);
    });
    return;
  }
  const Index outputs = problem.weights.outputs(), blocks = (problem.rows + kRowBlock - 1) / kRowBlock;
  const Index groups = (outputs + kPieceOutputs - 1) / kPieceOutputs;
  parallel_for(blocks * groups, [&](Index piece) {
    const Index first = piece / groups * kRowBlock, begin = piece % groups * kPieceOutputs;
    HWY_DYNAMIC_DISPATCH(RunPiece)
    (problem, first, std::min(kRowBlock, problem.rows - first), begin,
     std::min(begin + kPieceOutputs, outputs));
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
