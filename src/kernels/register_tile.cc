// The tiles of register_tile-inl.h: compiled here once for all kernels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/register_tile.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Rows of a whole tile, by its number of vectors. With 16 vector registers a tile holds 12 accumulators,
// 4 rows × 3 vectors or 6 rows × 2 vectors, which keeps two FMA units busy; with 32 registers it holds 24,
// 8 rows × 3 vectors or 6 × 4, because each vector of b then serves twice as many rows: 1.55 instructions
// per FMA instead of 1.8.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows[] = {0, 8, 8, 8, 6};
#else
constexpr int kTileRows[] = {0, 6, 6, 4};
#endif
static_assert(kMostVectors == sizeof(kTileRows) / sizeof(kTileRows[0]) - 1);

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
    return a.data +
           (kWalk == TileWalk::along && a.gathered != nullptr ? a.gathered[row] : row) * a.row_stride;
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
// rows. Not inlined: GCC spills the accumulators when it is.
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

// The instances that the kernels use; the linker names one that is missing.
#define FOVEA_TILE_INSTANCE(NV, end, walk)                      \
  template void MultiplyRows<NV, TileEnd::end, TileWalk::walk>( \
      const TileFactor&, Index, const float*, Index, Index, float*, Index, float*, FetchAhead*);
#define FOVEA_TILE_INSTANCES(NV, end) \
  FOVEA_TILE_INSTANCE(NV, end, along) \
  FOVEA_TILE_INSTANCE(NV, end, across)
// Of whole matrices and panels of packed weights, and those of attention besides.
#define FOVEA_TILE_PANELS(NV)     \
  FOVEA_TILE_INSTANCES(NV, store) \
  FOVEA_TILE_INSTANCES(NV, add)   \
  FOVEA_TILE_INSTANCES(NV, onto)
#define FOVEA_TILE_STRIPS(NV)       \
  FOVEA_TILE_INSTANCES(NV, rescale) \
  FOVEA_TILE_INSTANCES(NV, scaled)  \
  FOVEA_TILE_INSTANCES(NV, maximum)

FOVEA_TILE_PANELS(1)
FOVEA_TILE_PANELS(2)
FOVEA_TILE_PANELS(3)
FOVEA_TILE_STRIPS(1)
FOVEA_TILE_STRIPS(2)
FOVEA_TILE_STRIPS(3)
#if HWY_TARGET == HWY_AVX3
FOVEA_TILE_PANELS(4)
#endif

#undef FOVEA_TILE_UNROLL
#undef FOVEA_TILE_ROWS
#undef FOVEA_TILE_BEGIN_ROW
#undef FOVEA_TILE_MULTIPLY_ROW
#undef FOVEA_TILE_SCALE_ROW
#undef FOVEA_TILE_END_ROW
#undef FOVEA_TILE_RAISE_ROW
#undef FOVEA_TILE_INSTANCE
#undef FOVEA_TILE_INSTANCES
#undef FOVEA_TILE_PANELS
#undef FOVEA_TILE_STRIPS

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
