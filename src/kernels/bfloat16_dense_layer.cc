#include "kernels/bfloat16_dense_layer.h"

#include <algorithm>
#include <cstdint>

#include "core/half.h"
#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/instruction_set.h"

#ifndef FOVEA_KERNELS_BFLOAT16_DENSE
#define FOVEA_KERNELS_BFLOAT16_DENSE
namespace fovea::kernels {

constexpr Index kTileRows = 128;   // that share what the portable unit widens of a panel
constexpr Index kTileDepth = 512;  // fixed: sums begin at zero in each block, so bits depend on it

// All pieces of a call.
struct Bfloat16Dense {
  const DenseProblem& problem;
  const TileUnit& unit;
  const std::uint16_t* x;  // [rows in whole tiles, E in whole tiles]
};

// A few rows, rounded and widened again: [rows, E in whole tiles].
struct FewDenseRows {
  const DenseProblem& problem;
  const float* x;
};

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_BFLOAT16_DENSE

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bfloat16_dense_layer.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/bfloat16-inl.h"
#include "kernels/dense_end-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// to [32, width in whole tiles] = rows of from [rows ≤ 32, width], and zeros.
void RoundTileRows(const float* HWY_RESTRICT from, Index rows, Index width,
                   std::uint16_t* HWY_RESTRICT to) {
  const Index whole = whole_tiles(width), vectors = width / 16 * 16;  // TileFloats are 16 at most
  for (Index r = 0; r < rows; ++r, from += width, to += whole) {
    RoundRow(from, vectors, to);
    for (Index i = vectors; i < width; ++i) to[i] = float_to_bfloat16(from[i]);
    std::fill(to + width, to + whole, std::uint16_t{0});
  }
  std::fill_n(to, (kTileBlock - rows) * whole, std::uint16_t{0});
}

// Rows from `first` on, one panel.
void RunTilePiece(const Bfloat16Dense& call, Index first, Index rows, Index panel, float* scratch) {
  const DenseProblem& p = call.problem;
  const Index depth = p.weights.panel_inputs(), whole = whole_tiles(rows);
  const std::uint32_t* pairs = p.weights.panel_pairs(panel);
  alignas(64) float sums[kTileRows * kTileBlock + kPastTheEnd];
  alignas(64) float part[kTileRows * kTileBlock];
  if (depth == 0) std::fill_n(sums, whole * kTileBlock, 0.0f);
  const TileFloats d;
  for (Index t = 0; t < depth; t += kTileDepth) {
    const TileRows x = {call.x + first * depth + t, depth, kTileBlock};
    call.unit.multiply(x, whole, pairs + t / 2 * kTileBlock, std::min(kTileDepth, depth - t),
                       t == 0 ? sums : part, scratch);
    for (Index i = 0; t > 0 && i < whole * kTileBlock; i += static_cast<Index>(hn::Lanes(d))) {
      hn::Store(hn::Add(hn::Load(d, part + i), hn::Load(d, sums + i)), d, sums + i);
    }
  }
  Finish(p, sums, first, rows, panel * kTileBlock, kTileBlock);
}

// sums [4 · lanes], of four vectors of columns of panels: the order of the portable unit.
HWY_INLINE void MultiplyPairs(const float* HWY_RESTRICT x, Index inputs,
                              const std::uint32_t* const* columns, float* const* sums) {
  const TileFloats d;
  using Pairs = hn::RebindToUnsigned<TileFloats>;
  const Pairs du;
  using V = hn::Vec<TileFloats>;
  const auto even = [&](hn::Vec<Pairs> both) HWY_ATTR { return hn::BitCast(d, hn::ShiftLeft<16>(both)); };
  const auto odd = [&](hn::Vec<Pairs> both)
                       HWY_ATTR { return hn::BitCast(d, hn::And(both, hn::Set(du, 0xFFFF0000u))); };
  const std::uint32_t *c0 = columns[0], *c1 = columns[1], *c2 = columns[2], *c3 = columns[3];
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (Index t = 0; t < inputs;) {
    V a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
    for (const Index end = std::min(t + kTileDepth, inputs); t < end; t += 2) {
      const auto p0 = hn::Load(du, c0), p1 = hn::Load(du, c1), p2 = hn::Load(du, c2), p3 = hn::Load(du, c3);
      const V first = hn::Set(d, x[t]), second = hn::Set(d, x[t + 1]);
      a0 = hn::MulAdd(second, odd(p0), hn::MulAdd(first, even(p0), a0));
      a1 = hn::MulAdd(second, odd(p1), hn::MulAdd(first, even(p1), a1));
      a2 = hn::MulAdd(second, odd(p2), hn::MulAdd(first, even(p2), a2));
      a3 = hn::MulAdd(second, odd(p3), hn::MulAdd(first, even(p3), a3));
      c0 += kTileBlock, c1 += kTileBlock, c2 += kTileBlock, c3 += kTileBlock;
    }
    s0 = hn::Add(a0, s0), s1 = hn::Add(a1, s1), s2 = hn::Add(a2, s2), s3 = hn::Add(a3, s3);
  }
  hn::Store(s0, d, sums[0]), hn::Store(s1, d, sums[1]);
  hn::Store(s2, d, sums[2]), hn::Store(s3, d, sums[3]);
}

// All rows, and panels [first, end), two at a time.
void RunFewRows(const FewDenseRows& call, Index first, Index end) {
  const DenseProblem& p = call.problem;
  const Index depth = p.weights.panel_inputs(), lanes = static_cast<Index>(hn::Lanes(TileFloats()));
  HWY_ALIGN float both[2][kMostFewRows * kTileBlock + kPastTheEnd];
  for (Index panel = first; panel < end; panel += 2) {
    const bool two = panel + 1 < end;
    for (Index r = 0; r < p.rows; ++r) {
      for (Index at = 0; at < (two ? 2 : 1) * kTileBlock; at += 4 * lanes) {
        const std::uint32_t* columns[4];
        float* sums[4];
        for (Index i = 0; i < 4; ++i) {
          // With the longest vectors half of the four lie in the second panel; if there is none, anywhere.
          const Index column = at + i * lanes, within = column % kTileBlock, second = column / kTileBlock;
          columns[i] = p.weights.panel_pairs(panel + (two ? second : 0)) + within;
          sums[i] = both[second] + r * kTileBlock + within;
        }
        MultiplyPairs(call.x + r * depth, depth, columns, sums);
      }
    }
    Finish(p, both[0], 0, p.rows, panel * kTileBlock, kTileBlock);
    if (two) Finish(p, both[1], 0, p.rows, (panel + 1) * kTileBlock, kTileBlock);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RoundTileRows);
HWY_EXPORT(RunTilePiece);
HWY_EXPORT(RunFewRows);

namespace {

void multiply_few_rows(const DenseProblem& problem) {
  const Index inputs = problem.weights.inputs(), depth = problem.weights.panel_inputs();
  Tensor x({problem.rows, depth});
  for (Index r = 0; r < problem.rows; ++r) {
    const float* from = problem.x + r * inputs;
    float* to = x.data() + r * depth;
    for (Index i = 0; i < inputs; ++i) to[i] = bfloat16_to_float(float_to_bfloat16(from[i]));
  }
  const FewDenseRows call{problem, x.data()};
  const Index panels = problem.weights.panels();
  const Index group = std::clamp<Index>(panels / (8 * thread_count()), 2, 16) / 2 * 2;
  parallel_for((panels + group - 1) / group, [&](Index g) {
    HWY_DYNAMIC_DISPATCH(RunFewRows)(call, g * group, std::min(panels, (g + 1) * group));
  });
}

}  // namespace

void bfloat16_dense_layer(const DenseProblem& problem, const TileUnit& unit) {
  apply_forced_instruction_set();
  if (problem.rows <= unit.few_rows) return multiply_few_rows(problem);
  const Index rows = problem.rows, inputs = problem.weights.inputs();
  const Index depth = problem.weights.panel_inputs(), tiles = whole_tiles(rows) / kTileBlock;
  Tensor memory = Tensor::uninitialized({tiles * kTileBlock * depth / 2});
  auto* x = reinterpret_cast<std::uint16_t*>(memory.data());
  parallel_for(tiles, [&](Index tile) {
    const Index first = tile * kTileBlock;
    HWY_DYNAMIC_DISPATCH(RoundTileRows)
    (problem.x + first * inputs, std::min(kTileBlock, rows - first), inputs, x + first * depth);
  });
  const Bfloat16Dense call{problem, unit, x};
  const Index panels = problem.weights.panels(), blocks = (rows + kTileRows - 1) / kTileRows;
  // Neighbouring pieces share rows; some of them make a task, for which scratch is allocated once.
  const Index pieces = blocks * panels, per_task = std::clamp<Index>(pieces / (8 * thread_count()), 1, 16);
  parallel_for((pieces + per_task - 1) / per_task, [&](Index task) {
    const UnitAtWork at_work(unit);
    Tensor scratch = Tensor::uninitialized({tile_scratch(std::min(kTileDepth, depth))});
    for (Index i = task * per_task; i < std::min(pieces, (task + 1) * per_task); ++i) {
      const Index first = i / panels * kTileRows;
      HWY_DYNAMIC_DISPATCH(RunTilePiece)
      (call, first, std::min(kTileRows, rows - first), i % panels, scratch.data());
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
