// The products of bfloat16 tiles by float32 register tiles: bfloat16 is the upper half of a float32, and a
// product of two of them has 16 significant bits, so that float32 computes what AMX does.
#include "kernels/tile_unit.h"

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/portable_tile_unit.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/bfloat16-inl.h"
#include "kernels/register_tile-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// wide [depth, 32] of pairs [depth / 2, 32].
HWY_INLINE void WidenPairs(const std::uint32_t* HWY_RESTRICT pairs, Index depth, float* HWY_RESTRICT wide) {
  const TileFloats d;
  const hn::RebindToUnsigned<TileFloats> du;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index t = 0; t < depth; t += 2) {
    for (Index at = 0; at < kTileBlock; at += lanes) {
      const auto both = hn::Load(du, pairs + t / 2 * kTileBlock + at);
      hn::Store(hn::BitCast(d, hn::ShiftLeft<16>(both)), d, wide + t * kTileBlock + at);
      hn::Store(hn::BitCast(d, hn::And(both, hn::Set(du, 0xFFFF0000u))), d,
                wide + (t + 1) * kTileBlock + at);
    }
  }
}

// wide [32, depth] of the rows from `first` on.
HWY_INLINE void WidenRows(const TileRows& a, Index first, Index depth, float* HWY_RESTRICT wide) {
  const TileFloats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < kTileBlock; ++r) {
    const auto* row = reinterpret_cast<const StoredBfloat16*>(a.data + (first + r) * a.row_stride);
    for (Index t = 0; t < depth; t += kTileBlock, row += a.block_stride) {
      for (Index at = 0; at < kTileBlock; at += lanes) {
        hn::Store(LoadStored(d, row + at), d, wide + r * depth + t + at);
      }
    }
  }
}

void MultiplyTiles(const TileRows& a, Index rows, const std::uint32_t* b, Index depth, float* c,
                   float* scratch) {
  float *wide_b = scratch, *wide_a = scratch + kTileBlock * depth;
  WidenPairs(b, depth, wide_b);
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));  // up to 32: SVE of 1024 bits
  for (Index row = 0; row < rows; row += kTileBlock) {
    WidenRows(a, row, depth, wide_a);
    const TileFactor factor{wide_a, depth, 1};
    float* to = c + row * kTileBlock;
    if (lanes == kTileBlock) {
      MultiplyStrip<1, TileEnd::store>(factor, kTileBlock, wide_b, kTileBlock, depth, to, kTileBlock,
                                       nullptr);
    }
    for (Index at = 0; at + 2 * lanes <= kTileBlock; at += 2 * lanes) {
      MultiplyStrip<2, TileEnd::store>(factor, kTileBlock, wide_b + at, kTileBlock, depth, to + at,
                                       kTileBlock, nullptr);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(MultiplyTiles);

namespace {

void nothing() {}

void multiply_portably(const TileRows& a, Index rows, const std::uint32_t* b, Index depth, float* c,
                       float* scratch) {
  HWY_DYNAMIC_DISPATCH(MultiplyTiles)(a, rows, b, depth, c, scratch);
}

}  // namespace

const TileUnit& portable_tile_unit() {
  // Where a tile begins to be faster: estimated from the times of 4 and 8 rows on AVX-512.
  static constexpr TileUnit kPortable = {"portable", kMostFewRows, nothing, nothing, multiply_portably};
  apply_forced_instruction_set();
  return kPortable;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
