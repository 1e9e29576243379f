// The product of small matrices in registers, on which all fast paths stand. Include inside foreach_target.
//
// c [rows, NV · lanes] = a [rows, depth] · b [depth, NV · lanes]: b is read by vectors, a by broadcast,
// with any strides, so neither operand is packed and no sum runs across lanes. A tile holds 12
// accumulators, which keeps two FMA units busy: 4 rows × 3 vectors or 6 rows × 2 vectors; with 3 or 2
// vectors of b and one factor these are the 16 registers of AVX2.
#if defined(FOVEA_KERNELS_REGISTER_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_REGISTER_TILE_INL_H_
#undef FOVEA_KERNELS_REGISTER_TILE_INL_H_
#else
#define FOVEA_KERNELS_REGISTER_TILE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// Element (row, t) stands at data[row · row_stride + t · depth_stride].
struct TileFactor {
  const float* data;
  Index row_stride;
  Index depth_stride;
  const Index* gathered = nullptr;  // the numbers of the rows, if they are not neighbours
  float factor = 1;                 // of the finished product, where TileEnd says so: rounds once

  const float* row(Index r) const { return data + (gathered == nullptr ? r : gathered[r]) * row_stride; }
};

// Memory that will be read next, fetched a few cache lines with every tile: all at once would stall.
class FetchAhead {
 public:
  // `rows` rows of `width` floats. They are fetched in this order; more than 4 are not.
  void Add(const float* data, Index stride, Index rows, Index width) {
    if (rows > 0 && width > 0 && count_ < 4) pieces_[count_++] = {data, stride, rows, width};
  }
  // What comes after all pieces.
  void Then(FetchAhead* later) { later_ = later; }
  HWY_INLINE void Next() {
    if (at_ == count_) {
      if (later_ != nullptr) later_->Next();
      return;
    }
    for (int line = 0; line < 4 && at_ < count_; ++line) {
      const Piece& piece = pieces_[at_];
      hwy::Prefetch(piece.data + row_ * piece.stride + column_);
      column_ += 16;
      if (column_ < piece.width) continue;
      column_ = 0;
      if (++row_ < piece.rows) continue;
      row_ = 0;
      ++at_;
    }
  }

 private:
  struct Piece {
    const float* data;
    Index stride, rows, width;
  };
  Piece pieces_[4] = {};
  int count_ = 0, at_ = 0;
  FetchAhead* later_ = nullptr;
  Index row_ = 0, column_ = 0;
};

// What becomes of c.
enum class TileEnd {
  store,    // c = product
  add,      // c += product
  rescale,  // c = c · alpha + product, alpha [NV · lanes] one factor per column
  scaled,   // c = factor · product
  maximum,  // c = factor · product, and alpha [NV · lanes] becomes the maximum of itself and all rows
};

// Sanitizers make so much of every load that unrolled tiles would take minutes to compile.
#if HWY_IS_ASAN || HWY_IS_TSAN
#define FOVEA_TILE_UNROLL
#else
#define FOVEA_TILE_UNROLL HWY_UNROLL(4)
#endif

// One row of the tile, row after row, so that only one factor is alive.
#define FOVEA_TILE_ROW(r)                                       \
  if constexpr (MR > r) {                                       \
    const FloatVector factor = hn::Set(d, a##r[kUnit ? t : 0]); \
    if constexpr (!kUnit) a##r += step;                         \
    x##r = hn::MulAdd(factor, b0, x##r);                        \
    if constexpr (NV > 1) y##r = hn::MulAdd(factor, b1, y##r);  \
    if constexpr (NV > 2) z##r = hn::MulAdd(factor, b2, z##r);  \
  }

#define FOVEA_TILE_SCALE_ROW(r)                         \
  if constexpr (MR > r) {                               \
    x##r = hn::Mul(x##r, factor);                       \
    if constexpr (NV > 1) y##r = hn::Mul(y##r, factor); \
    if constexpr (NV > 2) z##r = hn::Mul(z##r, factor); \
  }

#define FOVEA_TILE_END_ROW(r)                                                 \
  if constexpr (MR > r) {                                                     \
    if (rows > r) {                                                           \
      float* HWY_RESTRICT row = c + r * c_stride;                             \
      FinishTile<kEnd>(d, x##r, row, alpha, 0);                               \
      if constexpr (NV > 1) FinishTile<kEnd>(d, y##r, row, alpha, lanes);     \
      if constexpr (NV > 2) FinishTile<kEnd>(d, z##r, row, alpha, 2 * lanes); \
    }                                                                         \
  }

// Columns `at` and following of one row. alpha may be null where it is not used.
template <TileEnd kEnd>
HWY_INLINE void FinishTile(Floats d, FloatVector product, float* HWY_RESTRICT row,
                           const float* HWY_RESTRICT alpha, Index at) {
  float* HWY_RESTRICT c = row + at;
  if constexpr (kEnd == TileEnd::add) product = hn::Add(product, hn::Load(d, c));
  if constexpr (kEnd == TileEnd::rescale) {
    product = hn::MulAdd(hn::Load(d, c), hn::Load(d, alpha + at), product);
  }
  hn::Store(product, d, c);
}

// kUnit: depth_stride is 1, which spares pointers. Rows from `first` on, MR at most; of fewer, the missing
// ones repeat the last and are not stored.
template <int MR, int NV, TileEnd kEnd, bool kUnit>
HWY_INLINE void RegisterTile(const TileFactor& a, Index first, Index rows, const float* HWY_RESTRICT b,
                             Index b_stride, Index depth, float* HWY_RESTRICT c, Index c_stride,
                             float* HWY_RESTRICT alpha) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index step = a.depth_stride;
  const auto row_of_a = [&](Index r) { return a.row(first + std::min(r, rows - 1)); };
  const float *HWY_RESTRICT a0 = row_of_a(0), *HWY_RESTRICT a1 = row_of_a(1),
                            *HWY_RESTRICT a2 = row_of_a(2), *HWY_RESTRICT a3 = row_of_a(3),
                            *HWY_RESTRICT a4 = row_of_a(4), *HWY_RESTRICT a5 = row_of_a(5);
  FloatVector x0 = hn::Zero(d), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0;
  FloatVector y0 = x0, y1 = x0, y2 = x0, y3 = x0, y4 = x0, y5 = x0;
  FloatVector z0 = x0, z1 = x0, z2 = x0, z3 = x0, z4 = x0, z5 = x0;
  FOVEA_TILE_UNROLL
  for (Index t = 0; t < depth; ++t, b += b_stride) {
    const FloatVector b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + (NV > 1 ? lanes : 0));
    const FloatVector b2 = hn::LoadU(d, b + (NV > 2 ? 2 * lanes : 0));
    FOVEA_TILE_ROW(0);
    FOVEA_TILE_ROW(1);
    FOVEA_TILE_ROW(2);
    FOVEA_TILE_ROW(3);
    FOVEA_TILE_ROW(4);
    FOVEA_TILE_ROW(5);
  }
  if constexpr (kEnd == TileEnd::scaled || kEnd == TileEnd::maximum) {
    const FloatVector factor = hn::Set(d, a.factor);
    FOVEA_TILE_SCALE_ROW(0);
    FOVEA_TILE_SCALE_ROW(1);
    FOVEA_TILE_SCALE_ROW(2);
    FOVEA_TILE_SCALE_ROW(3);
    FOVEA_TILE_SCALE_ROW(4);
    FOVEA_TILE_SCALE_ROW(5);
  }
  FOVEA_TILE_END_ROW(0);
  FOVEA_TILE_END_ROW(1);
  FOVEA_TILE_END_ROW(2);
  FOVEA_TILE_END_ROW(3);
  FOVEA_TILE_END_ROW(4);
  FOVEA_TILE_END_ROW(5);
  if constexpr (kEnd == TileEnd::maximum) {
    const auto raise = [&](float* max, FloatVector v0, FloatVector v1, FloatVector v2, FloatVector v3,
                           FloatVector v4, FloatVector v5) HWY_ATTR {
      FloatVector m = hn::Max(hn::Max(v0, v1), hn::Max(v2, v3));
      if constexpr (MR > 4) m = hn::Max(m, hn::Max(v4, v5));
      hn::Store(hn::Max(hn::Load(d, max), m), d, max);
    };
    raise(alpha, x0, x1, x2, x3, x4, x5);
    if constexpr (NV > 1) raise(alpha + lanes, y0, y1, y2, y3, y4, y5);
    if constexpr (NV > 2) raise(alpha + 2 * lanes, z0, z1, z2, z3, z4, z5);
  }
}

// All rows, tile by tile. c and alpha are aligned to vectors, and so is the stride of c. Not inlined: GCC
// spills the accumulators when it is.
template <int NV, TileEnd kEnd, bool kUnit>
HWY_NOINLINE void MultiplyRows(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                               float* c, Index c_stride, float* alpha, FetchAhead* ahead) {
  for (Index r = 0; r < rows;) {
    if (ahead != nullptr) ahead->Next();
    const Index left = rows - r;
    float* to = c + r * c_stride;
    // 6 rows × 2 vectors, and at the end 4 or 8 rows in tiles of 4, so that little is computed in vain.
    if (NV == 3 || left <= 4 || left == 8) {
      RegisterTile<4, NV, kEnd, kUnit>(a, r, left, b, b_stride, depth, to, c_stride, alpha);
      r += 4;
    } else {
      RegisterTile<NV == 3 ? 4 : 6, NV, kEnd, kUnit>(a, r, left, b, b_stride, depth, to, c_stride, alpha);
      r += 6;
    }
  }
}

template <int NV, TileEnd kEnd>
HWY_INLINE void MultiplyStrip(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                              float* c, Index c_stride, float* alpha, FetchAhead* ahead = nullptr) {
  const auto multiply = a.depth_stride == 1 ? MultiplyRows<NV, kEnd, true> : MultiplyRows<NV, kEnd, false>;
  multiply(a, rows, b, b_stride, depth, c, c_stride, alpha, ahead);
}

#undef FOVEA_TILE_UNROLL
#undef FOVEA_TILE_ROW
#undef FOVEA_TILE_SCALE_ROW
#undef FOVEA_TILE_END_ROW

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_REGISTER_TILE_INL_H_
