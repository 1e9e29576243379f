// The product of small matrices in registers, on which all fast paths stand. Include inside foreach_target.
//
// c [rows, NV · lanes] = a [rows, depth] · b [depth, NV · lanes]: b is read by vectors, a by broadcast,
// with any strides, so neither operand needs to be packed and no sum runs across lanes. With 16 vector
// registers a tile holds 12 accumulators, 4 rows × 3 vectors or 6 rows × 2 vectors, which keeps two FMA
// units busy; with 32 registers it holds 24, 8 rows × 3 vectors or 6 × 4, because each vector of b then
// serves twice as many rows: 1.55 instructions per FMA instead of 1.8.
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

// Element (row, t) stands at data[row · row_stride + t · depth_stride]; one of the strides is 1.
struct TileFactor {
  const float* data;
  Index row_stride;
  Index depth_stride;
  const Index* gathered = nullptr;  // the numbers of the rows, if they are not neighbours
  float factor = 1;                 // of the finished product, where TileEnd says so: rounds once
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
  // No recursion: GCC refuses to inline one without optimization.
  HWY_INLINE void Next(int lines) {
    FetchAhead* now = this;
    while (now->at_ == now->count_ && now->later_ != nullptr) now = now->later_;
    now->Fetch(lines);
  }

 private:
  HWY_INLINE void Fetch(int lines) {
    for (int line = 0; line < lines && at_ < count_; ++line) {
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
  onto,     // c = alpha + product, alpha [rows, NV · lanes]
  rescale,  // c = c · alpha + product, alpha [NV · lanes] one factor per column
  scaled,   // c = factor · product
  maximum,  // c = factor · product, and alpha [NV · lanes] becomes the maximum of itself and all rows
};

// How a is read.
enum class TileWalk {
  along,     // depth_stride is 1
  gathered,  // the same, rows by their numbers
  across,    // row_stride is 1
  apart,     // the same, but rows may be missing: a pointer for each
};

// Rows of a whole tile, by its number of vectors.
#if HWY_TARGET == HWY_AVX3
inline constexpr int kTileRows[] = {0, 8, 8, 8, 6};
#else
inline constexpr int kTileRows[] = {0, 6, 6, 4};
#endif
inline constexpr int kMostVectors = sizeof(kTileRows) / sizeof(kTileRows[0]) - 1;

// Sanitizers make so much of every load that unrolled tiles would take minutes to compile.
#if HWY_IS_ASAN || HWY_IS_TSAN
#define FOVEA_TILE_UNROLL
#else
#define FOVEA_TILE_UNROLL HWY_UNROLL(4)
#endif

// What is done with every row of a tile, as far as it has them: its accumulators are x, y, z and w. Not
// arrays: vectors of SVE have no size.
#define FOVEA_TILE_ROWS(ROW) ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)

#define FOVEA_TILE_BEGIN_ROW(r)                 \
  const float* HWY_RESTRICT a##r = row_of_a(r); \
  FloatVector x##r = hn::Zero(d), y##r = x##r, z##r = x##r, w##r = x##r;

// Row after row, so that only one factor is alive.
#define FOVEA_TILE_MULTIPLY_ROW(r)                                               \
  if constexpr (MR > r) {                                                        \
    const FloatVector factor = hn::Set(d, kWalk == TileWalk::across  ? a0[r]     \
                                          : kWalk == TileWalk::apart ? *a##r     \
                                                                     : a##r[t]); \
    if constexpr (kWalk == TileWalk::apart) a##r += step;                        \
    x##r = hn::MulAdd(factor, b0, x##r);                                         \
    if constexpr (NV > 1) y##r = hn::MulAdd(factor, b1, y##r);                   \
    if constexpr (NV > 2) z##r = hn::MulAdd(factor, b2, z##r);                   \
    if constexpr (NV > 3) w##r = hn::MulAdd(factor, b3, w##r);                   \
  }

#define FOVEA_TILE_SCALE_ROW(r)                         \
  if constexpr (MR > r) {                               \
    x##r = hn::Mul(x##r, factor);                       \
    if constexpr (NV > 1) y##r = hn::Mul(y##r, factor); \
    if constexpr (NV > 2) z##r = hn::Mul(z##r, factor); \
    if constexpr (NV > 3) w##r = hn::Mul(w##r, factor); \
  }

#define FOVEA_TILE_END_ROW(r)                                                         \
  if constexpr (MR > r) {                                                             \
    if (rows > r) {                                                                   \
      float* HWY_RESTRICT row = c + r * c_stride;                                     \
      float* from = kEnd == TileEnd::onto ? alpha + (first + r) * NV * lanes : alpha; \
      FinishTile<kEnd>(d, x##r, row, from, 0);                                        \
      if constexpr (NV > 1) FinishTile<kEnd>(d, y##r, row, from, lanes);              \
      if constexpr (NV > 2) FinishTile<kEnd>(d, z##r, row, from, 2 * lanes);          \
      if constexpr (NV > 3) FinishTile<kEnd>(d, w##r, row, from, 3 * lanes);          \
    }                                                                                 \
  }

// Rows that repeat the last one do not change the maximum.
#define FOVEA_TILE_RAISE_ROW(r)                   \
  if constexpr (MR > r && r > 0) {                \
    x0 = hn::Max(x0, x##r);                       \
    if constexpr (NV > 1) y0 = hn::Max(y0, y##r); \
    if constexpr (NV > 2) z0 = hn::Max(z0, z##r); \
    if constexpr (NV > 3) w0 = hn::Max(w0, w##r); \
  }

// Columns `at` and following of one row. alpha may be null where it is not used.
template <TileEnd kEnd>
HWY_INLINE void FinishTile(Floats d, FloatVector product, float* HWY_RESTRICT row,
                           const float* HWY_RESTRICT alpha, Index at) {
  float* HWY_RESTRICT c = row + at;
  if constexpr (kEnd == TileEnd::add) {
    product = hn::Add(product, hn::LoadU(d, c));
  }
  if constexpr (kEnd == TileEnd::onto) product = hn::Add(product, hn::Load(d, alpha + at));
  if constexpr (kEnd == TileEnd::rescale) {
    product = hn::MulAdd(hn::LoadU(d, c), hn::Load(d, alpha + at), product);
  }
  hn::StoreU(product, d, c);
}

// Rows from `first` on, MR at most; of fewer, the missing ones repeat the last and are not stored.
template <int MR, int NV, TileEnd kEnd, TileWalk kWalk>
HWY_INLINE void RegisterTile(const TileFactor& a, Index first, Index rows, const float* HWY_RESTRICT b,
                             Index b_stride, Index depth, float* HWY_RESTRICT c, Index c_stride,
                             float* HWY_RESTRICT alpha) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index step = a.depth_stride;
  const auto row_of_a = [&](Index r) {
    const Index row = first + std::min(r, rows - 1);
    return a.data + (kWalk == TileWalk::gathered ? a.gathered[row] : row) * a.row_stride;
  };
  FOVEA_TILE_ROWS(FOVEA_TILE_BEGIN_ROW)
  FOVEA_TILE_UNROLL
  for (Index t = 0; t < depth; ++t, b += b_stride) {
    const FloatVector b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + (NV > 1 ? lanes : 0));
    const FloatVector b2 = hn::LoadU(d, b + (NV > 2 ? 2 * lanes : 0));
    const FloatVector b3 = hn::LoadU(d, b + (NV > 3 ? 3 * lanes : 0));
    FOVEA_TILE_ROWS(FOVEA_TILE_MULTIPLY_ROW)
    if constexpr (kWalk == TileWalk::across) a0 += step;
  }
  if constexpr (kEnd == TileEnd::scaled || kEnd == TileEnd::maximum) {
    const FloatVector factor = hn::Set(d, a.factor);
    FOVEA_TILE_ROWS(FOVEA_TILE_SCALE_ROW)
  }
  FOVEA_TILE_ROWS(FOVEA_TILE_END_ROW)
  if constexpr (kEnd == TileEnd::maximum) {
    FOVEA_TILE_ROWS(FOVEA_TILE_RAISE_ROW)
    hn::Store(hn::Max(hn::Load(d, alpha), x0), d, alpha);
    if constexpr (NV > 1) hn::Store(hn::Max(hn::Load(d, alpha + lanes), y0), d, alpha + lanes);
    if constexpr (NV > 2) hn::Store(hn::Max(hn::Load(d, alpha + 2 * lanes), z0), d, alpha + 2 * lanes);
    if constexpr (NV > 3) hn::Store(hn::Max(hn::Load(d, alpha + 3 * lanes), w0), d, alpha + 3 * lanes);
  }
}

// All rows: whole tiles, and the rest in tiles of 4; a single row left over alone, which gains 3 % with 33
// rows. alpha is aligned to vectors. Not inlined: GCC spills the accumulators when it is.
template <int NV, TileEnd kEnd, TileWalk kWalk>
HWY_NOINLINE void MultiplyRows(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                               float* c, Index c_stride, float* alpha, FetchAhead* ahead) {
  constexpr int MR = kTileRows[NV];
  constexpr TileWalk kRest = kWalk == TileWalk::across ? TileWalk::apart : kWalk;
  for (Index r = 0; r < rows;) {
    const Index left = rows - r;
    float* to = c + r * c_stride;
    if (ahead != nullptr) ahead->Next(MR < 8 ? 4 : 8);
    if (left >= MR && !(MR == 6 && left == 8)) {
      RegisterTile<MR, NV, kEnd, kWalk>(a, r, MR, b, b_stride, depth, to, c_stride, alpha);
      r += MR;
    } else if (left == 1) {
      RegisterTile<1, NV, kEnd, kRest>(a, r, left, b, b_stride, depth, to, c_stride, alpha);
      r += 1;
    } else {
      RegisterTile<4, NV, kEnd, kRest>(a, r, left, b, b_stride, depth, to, c_stride, alpha);
      r += 4;
    }
  }
}

template <int NV, TileEnd kEnd>
HWY_INLINE void MultiplyStrip(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                              float* c, Index c_stride, float* alpha, FetchAhead* ahead = nullptr) {
  const auto multiply = a.gathered != nullptr ? MultiplyRows<NV, kEnd, TileWalk::gathered>
                        : a.depth_stride == 1 ? MultiplyRows<NV, kEnd, TileWalk::along>
                                              : MultiplyRows<NV, kEnd, TileWalk::across>;
  multiply(a, rows, b, b_stride, depth, c, c_stride, alpha, ahead);
}

#undef FOVEA_TILE_UNROLL
#undef FOVEA_TILE_ROWS
#undef FOVEA_TILE_BEGIN_ROW
#undef FOVEA_TILE_MULTIPLY_ROW
#undef FOVEA_TILE_SCALE_ROW
#undef FOVEA_TILE_END_ROW
#undef FOVEA_TILE_RAISE_ROW

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_REGISTER_TILE_INL_H_
