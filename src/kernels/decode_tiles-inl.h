// The two products of decoding, a few keys × a few rows in registers. Include inside foreach_target.
//
// Keys of a tile come from several streams, each of which is read from front to back: processors fetch
// ahead what is read in order, and from several places at once faster than from one. Neighbouring keys,
// which a tile would read across, made one core of a Zen 3 as slow as half of a plain read; fetching ahead
// by instructions, at any distance, gained less than a tenth of that. An Emerald Rapids needs both: see
// kScoreFetch.
#if defined(FOVEA_KERNELS_DECODE_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_DECODE_TILES_INL_H_
#undef FOVEA_KERNELS_DECODE_TILES_INL_H_
#else
#define FOVEA_KERNELS_DECODE_TILES_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "fovea/shape.h"
#include "kernels/decode_streams.h"
#include "kernels/key_order.h"
#include "kernels/register_tile-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Rows of a whole tile, by the number of registers: 4 keys × 3 rows of sums for the scores, of 16; 4 × 4 of
// 32. Values: 2 rows × 4 vectors of 16 registers, but 4 × 2 where they have to be widened, which then
// happens once for four rows (a sixth faster); 4 × 4 of 32.
#if HWY_TARGET == HWY_AVX3
inline constexpr int kScoreTileRows = 4;
template <typename T>
inline constexpr int kValueTileRows = 4;
template <int R>
inline constexpr int kValueTileVectors = 4;
#else
inline constexpr int kScoreTileRows = 3;
template <typename T>
inline constexpr int kValueTileRows = sizeof(T) < sizeof(float) ? 4 : 2;
template <int R>
inline constexpr int kValueTileVectors = R > 2 ? 2 : 4;
#endif

// Fetching by instructions, in two steps: into the second cache early, into the first one late. The first
// cache of an Emerald Rapids waits for 16 lines at a time, the second for three times as many. Either alone
// reached 71 to 90 % of a plain read from memory, both 91 to 98 %.
#if HWY_TARGET == HWY_AVX3
inline constexpr FetchDistance kScoreFetch{1024, 8192}, kValueFetch{512, 4096};
#else
inline constexpr FetchDistance kScoreFetch{0, 0}, kValueFetch{0, 0};
#endif
inline constexpr bool kFetches = kScoreFetch.far > 0;

// What a tile fetches for those that come later: nothing; the lines of its keys in their streams, in two
// steps; of neighbours, the lines that follow in memory, in their order; or, where there are gaps between
// rows, those of the keys that come later, each beside its own.
enum class Fetch { kNothing, kStreams, kMemory, kRows };

// The order of memory, for the processors that key_order() names: how far ahead, into the first cache. On a
// Zen 5, tiles over neighbours, which jump between rows, reached 30 to 70 % of a plain read alone, and 86
// to 95 % with the following lines fetched in their order, those of the next split among them. From 4 to 6
// KiB ahead makes little difference; 2 and 3 KiB, or the second cache instead or as well, was slower.
inline constexpr bool kHasMemoryOrder = HWY_TARGET == HWY_AVX3;
inline constexpr Index kMemoryFetch = 5120;
inline constexpr int kNeighbours = 4;
inline constexpr Index kUsualWidth = 128;

// By way of a number: it may lie past the end of the keys, where no pointer may be computed.
HWY_INLINE const char* BytesAfter(const void* from, Index bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(from) +
                                       static_cast<std::uintptr_t>(bytes));
}

constexpr bool FetchesNeighbours(Fetch fetch) { return fetch == Fetch::kMemory || fetch == Fetch::kRows; }

// The lines of as many elements as NV vectors of floats have, in the rows that their stream comes to later.
// A hint: nothing happens where there is no memory. HWY_INLINE is more than speed here: GCC 12 takes a
// function that only fetches for one without effect, and leaves its calls out.
template <int NV, typename T>
HWY_INLINE void FetchLines(const T* from, Index near, Index far) {
  constexpr Index kLine = kLineBytes / static_cast<Index>(sizeof(T));
  for (Index i = 0; i < NV * static_cast<Index>(hn::Lanes(Floats())); i += kLine) {
    __builtin_prefetch(BytesAfter(from + i, far), 0, 2);
    __builtin_prefetch(BytesAfter(from + i, near), 0, 3);
  }
}

// The lines of `elements` elements that a tile over NS neighbours fetches when it reads as many at element
// `done` of key `part`.
template <Fetch FETCH, typename T, int NS>
HWY_INLINE void FetchFollowing(const StreamKeys<T, NS>& keys, int part, Index done, Index elements) {
  const T* from =
      FETCH == Fetch::kMemory ? keys.row[0] + done * NS + part * elements : keys.row[part] + done;
  constexpr Index kLine = kLineBytes / static_cast<Index>(sizeof(T));
  for (Index i = 0; i < elements; i += kLine) __builtin_prefetch(BytesAfter(from + i, keys.near), 0, 3);
}

// The sums over the lanes of four vectors, side by side.
HWY_INLINE void StoreFourSums(Floats d, FloatVector v0, FloatVector v1, FloatVector v2, FloatVector v3,
                              float* HWY_RESTRICT to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_NEON
  const hn::FixedTag<float, 4> d4;
  const hn::FixedTag<double, 2> dd;
#if HWY_TARGET == HWY_AVX3
  const hn::Half<Floats> half;
  const hn::Half<hn::Half<Floats>> quarter;
  const auto fold = [&](FloatVector v) HWY_ATTR {
    const auto sum = hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
    return hn::Add(hn::LowerHalf(quarter, sum), hn::UpperHalf(quarter, sum));
  };
  const auto a = fold(v0), b = fold(v1), c = fold(v2), e = fold(v3);
#elif HWY_TARGET == HWY_AVX2
  const hn::Half<Floats> half;
  const auto fold = [&](FloatVector v)
                        HWY_ATTR { return hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)); };
  const auto a = fold(v0), b = fold(v1), c = fold(v2), e = fold(v3);
#else
  const auto a = v0, b = v1, c = v2, e = v3;
#endif
  const auto ab = hn::Add(hn::InterleaveLower(d4, a, b), hn::InterleaveUpper(d4, a, b));
  const auto ce = hn::Add(hn::InterleaveLower(d4, c, e), hn::InterleaveUpper(d4, c, e));
  const auto low = hn::InterleaveLower(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce));
  const auto high = hn::InterleaveUpper(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce));
  hn::StoreU(hn::Add(hn::BitCast(d4, low), hn::BitCast(d4, high)), d4, to);
  static_cast<void>(d);
#else
  to[0] = hn::GetLane(hn::SumOfLanes(d, v0));
  to[1] = hn::GetLane(hn::SumOfLanes(d, v1));
  to[2] = hn::GetLane(hn::SumOfLanes(d, v2));
  to[3] = hn::GetLane(hn::SumOfLanes(d, v3));
#endif
}

#if HWY_TARGET == HWY_AVX3
// Four vectors, each added up to a quarter of it, side by side.
HWY_INLINE FloatVector QuarterSums(Floats d, FloatVector v0, FloatVector v1, FloatVector v2,
                                   FloatVector v3) {
  const auto halves = [&](FloatVector v, FloatVector w) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(d, w, v), hn::ConcatUpperUpper(d, w, v));
  };
  const FloatVector v01 = halves(v0, v1), v23 = halves(v2, v3);
  return hn::Add(FloatVector{_mm512_shuffle_f32x4(v01.raw, v23.raw, 0x88)},
                 FloatVector{_mm512_shuffle_f32x4(v01.raw, v23.raw, 0xdd)});
}

// The sums of four rows × four keys from the QuarterSums of each row, a row after the other: the same
// additions as in StoreFourSums, in half of the instructions.
HWY_INLINE FloatVector SixteenSums(Floats d, FloatVector row0, FloatVector row1, FloatVector row2,
                                   FloatVector row3) {
  const hn::Repartition<double, Floats> dd;
  const auto pairs = [&](FloatVector v, FloatVector w) HWY_ATTR {
    return hn::BitCast(dd, hn::Add(hn::InterleaveLower(d, v, w), hn::InterleaveUpper(d, v, w)));
  };
  const auto rows01 = pairs(row0, row1), rows23 = pairs(row2, row3);
  const FloatVector by_key = hn::Add(hn::BitCast(d, hn::InterleaveLower(dd, rows01, rows23)),
                                     hn::BitCast(d, hn::InterleaveUpper(dd, rows01, rows23)));
  alignas(64) static constexpr std::int32_t kByRow[] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                        2, 6, 10, 14, 3, 7, 11, 15};
  return hn::TableLookupLanes(by_key, hn::SetTableIndices(d, kByRow));
}
#endif

#define FOVEA_DOT_BEGIN_ROW(r) FloatVector a##r = hn::Zero(d), b##r = a##r, c##r = a##r, e##r = a##r;

#define FOVEA_DOT_ROW(r)                                     \
  if constexpr (R > r) {                                     \
    const FloatVector x = hn::Load(d, q + r * q_stride + i); \
    a##r = hn::MulAdd(x, x0, a##r);                          \
    b##r = hn::MulAdd(x, x1, b##r);                          \
    c##r = hn::MulAdd(x, x2, c##r);                          \
    e##r = hn::MulAdd(x, x3, e##r);                          \
  }

// Not a loop: GCC 12 makes scatter instructions of it, which are slower.
#define FOVEA_DOT_END_ROW(r)                          \
  if constexpr (R > r) {                              \
    alignas(16) float sums[kScoreStreams];            \
    StoreFourSums(d, a##r, b##r, c##r, e##r, sums);   \
    scores[r * kScoreStride + keys.key[0]] = sums[0]; \
    scores[r * kScoreStride + keys.key[1]] = sums[1]; \
    scores[r * kScoreStride + keys.key[2]] = sums[2]; \
    scores[r * kScoreStride + keys.key[3]] = sums[3]; \
  }

// scores [R, key] of R rows and four keys, at the places of the keys. Only whole vectors of the depth.
template <int R, Fetch FETCH, typename T>
HWY_INLINE void DotTile(const float* HWY_RESTRICT q, Index q_stride, Index whole_depth,
                        const StreamKeys<T, kScoreStreams>& keys, float* HWY_RESTRICT scores) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T *HWY_RESTRICT k0 = keys.row[0], *HWY_RESTRICT k1 = keys.row[1], *HWY_RESTRICT k2 = keys.row[2],
                        *HWY_RESTRICT k3 = keys.row[3];
  FOVEA_DOT_BEGIN_ROW(0)
  FOVEA_DOT_BEGIN_ROW(1)
  FOVEA_DOT_BEGIN_ROW(2)
  FOVEA_DOT_BEGIN_ROW(3)
  HWY_UNROLL(2)
  for (Index i = 0; i < whole_depth; i += lanes) {
    const FloatVector x0 = LoadStored(d, k0 + i), x1 = LoadStored(d, k1 + i);
    const FloatVector x2 = LoadStored(d, k2 + i), x3 = LoadStored(d, k3 + i);
    if (FETCH == Fetch::kStreams && i % (kLineBytes / static_cast<Index>(sizeof(T))) == 0) {
      FetchLines<1>(k0 + i, keys.near, keys.far);
      FetchLines<1>(k1 + i, keys.near, keys.far);
      FetchLines<1>(k2 + i, keys.near, keys.far);
      FetchLines<1>(k3 + i, keys.near, keys.far);
    }
    FOVEA_DOT_ROW(0)
    FOVEA_DOT_ROW(1)
    FOVEA_DOT_ROW(2)
    FOVEA_DOT_ROW(3)
  }
  FOVEA_DOT_END_ROW(0)
  FOVEA_DOT_END_ROW(1)
  FOVEA_DOT_END_ROW(2)
  FOVEA_DOT_END_ROW(3)
}
#undef FOVEA_DOT_ROW
#undef FOVEA_DOT_END_ROW

#define FOVEA_DOT_ROW(r, a, b)                               \
  if constexpr (R > r) {                                     \
    const FloatVector x = hn::Load(d, q + r * q_stride + i); \
    a##r = hn::MulAdd(x, x0, a##r);                          \
    b##r = hn::MulAdd(x, x1, b##r);                          \
  }

#define FOVEA_DOT_PAIR(pair, a, b)                                                                  \
  HWY_UNROLL(2)                                                                                     \
  for (Index i = 0; i < whole_depth; i += lanes) {                                                  \
    if (i % kLine == 0) {                                                                           \
      FetchFollowing<FETCH>(pair, 0, i, kLine);                                                     \
      FetchFollowing<FETCH>(pair, 1, i, kLine);                                                     \
    }                                                                                               \
    const FloatVector x0 = LoadStored(d, (pair).row[0] + i), x1 = LoadStored(d, (pair).row[1] + i); \
    FOVEA_DOT_ROW(0, a, b)                                                                          \
    FOVEA_DOT_ROW(1, a, b)                                                                          \
    FOVEA_DOT_ROW(2, a, b)                                                                          \
    FOVEA_DOT_ROW(3, a, b)                                                                          \
  }

#define FOVEA_DOT_END_ROW(r) \
  if constexpr (R > r) StoreFourSums(d, a##r, b##r, c##r, e##r, scores + r * kScoreStride + keys.key[0]);

// The same, bit by bit, of four neighbours: two by two, so that memory is read nearly in its order.
template <int R, Fetch FETCH, typename T>
HWY_INLINE void DotPairs(const float* HWY_RESTRICT q, Index q_stride, Index whole_depth,
                         const StreamKeys<T, kScoreStreams>& keys, float* HWY_RESTRICT scores) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  constexpr Index kLine = kLineBytes / static_cast<Index>(sizeof(T));
  FOVEA_DOT_BEGIN_ROW(0)
  FOVEA_DOT_BEGIN_ROW(1)
  FOVEA_DOT_BEGIN_ROW(2)
  FOVEA_DOT_BEGIN_ROW(3)
  const StreamKeys<T, 2> first{{keys.row[0], keys.row[1]}, {}, keys.near, 0};
  const StreamKeys<T, 2> second{{keys.row[2], keys.row[3]}, {}, keys.near, 0};
  FOVEA_DOT_PAIR(first, a, b)
  FOVEA_DOT_PAIR(second, c, e)
#if HWY_TARGET == HWY_AVX3
  if constexpr (R == 4) {
    const FloatVector sums = SixteenSums(d, QuarterSums(d, a0, b0, c0, e0), QuarterSums(d, a1, b1, c1, e1),
                                         QuarterSums(d, a2, b2, c2, e2), QuarterSums(d, a3, b3, c3, e3));
    float* HWY_RESTRICT to = scores + keys.key[0];
    _mm_storeu_ps(to, _mm512_castps512_ps128(sums.raw));
    _mm_storeu_ps(to + kScoreStride, _mm512_extractf32x4_ps(sums.raw, 1));
    _mm_storeu_ps(to + 2 * kScoreStride, _mm512_extractf32x4_ps(sums.raw, 2));
    _mm_storeu_ps(to + 3 * kScoreStride, _mm512_extractf32x4_ps(sums.raw, 3));
    return;
  }
#endif
  FOVEA_DOT_END_ROW(0)
  FOVEA_DOT_END_ROW(1)
  FOVEA_DOT_END_ROW(2)
  FOVEA_DOT_END_ROW(3)
}
#undef FOVEA_DOT_BEGIN_ROW
#undef FOVEA_DOT_ROW
#undef FOVEA_DOT_PAIR
#undef FOVEA_DOT_END_ROW

// Neighbours are taken two by two by the tile that fetches; for the next ones they are in the first cache.
template <int R, Fetch FETCH, typename T>
HWY_INLINE void DotKeys(const float* q, Index q_stride, Index whole_depth,
                        const StreamKeys<T, kScoreStreams>& keys, float* scores) {
  if constexpr (FetchesNeighbours(FETCH)) {
    DotPairs<R, FETCH>(q, q_stride, whole_depth, keys, scores);
  } else {
    DotTile<R, FETCH>(q, q_stride, whole_depth, keys, scores);
  }
}

// The next rows of scores of four keys; how many. Rows are taken in twos where the last tile would have one
// row.
template <Fetch FETCH, typename T>
HWY_INLINE Index DotNextRows(const float* q, Index q_stride, Index left, Index whole_depth,
                             const StreamKeys<T, kScoreStreams>& keys, float* scores) {
  if (kScoreTileRows == 4 && left >= 4) {
    DotKeys<4, FETCH>(q, q_stride, whole_depth, keys, scores);
    return 4;
  }
  if (left == 3 || left > 4) {
    DotKeys<3, FETCH>(q, q_stride, whole_depth, keys, scores);
    return 3;
  }
  if (left == 1) {
    DotKeys<1, FETCH>(q, q_stride, whole_depth, keys, scores);
    return 1;
  }
  DotKeys<2, FETCH>(q, q_stride, whole_depth, keys, scores);
  return 2;
}

// The rows of scores of four keys. The first tile fetches for all.
template <Fetch FETCH, typename T>
HWY_INLINE void DotAllRows(const float* q, Index q_stride, Index rows, Index whole_depth,
                           const StreamKeys<T, kScoreStreams>& keys, float* scores) {
  Index r = 0;
  if constexpr (kFetches) r = DotNextRows<FETCH>(q, q_stride, rows, whole_depth, keys, scores);
  while (r < rows) {
    r += DotNextRows<Fetch::kNothing>(q + r * q_stride, q_stride, rows - r, whole_depth, keys,
                                      scores + r * kScoreStride);
  }
}

template <typename T>
HWY_NOINLINE void DotRows(const float* q, Index q_stride, Index rows, Index whole_depth,
                          const StreamKeys<T, kScoreStreams>& keys, float* scores) {
  DotAllRows<Fetch::kStreams>(q, q_stride, rows, whole_depth, keys, scores);
}

template <Fetch FETCH, typename T>
HWY_INLINE void DotSteps(const float* q, Index q_stride, Index rows, Index whole_depth,
                         const Neighbours<kScoreStreams>& order, const T* keys, Index stride,
                         float* scores) {
  for (Index step = 0; step < order.steps(); ++step) {
    DotAllRows<FETCH>(q, q_stride, rows, whole_depth, order.at(step, keys, stride), scores);
  }
}

// All steps in the order of memory. The usual sizes are constants for the compiler: on a Zen 5, which looks
// ahead as far as its buffers reach, what stands between two tiles cost up to an eighth.
template <typename T>
HWY_NOINLINE void DotInMemoryOrder(const float* q, Index q_stride, Index rows, Index whole_depth,
                                   const Neighbours<kScoreStreams>& order, const T* keys, Index stride,
                                   float* scores) {
  constexpr Fetch kMemory = Fetch::kMemory;
  constexpr Index kWidth = kUsualWidth;
  if (!order.is_dense<T>(stride)) {
    DotSteps<Fetch::kRows>(q, q_stride, rows, whole_depth, order, keys, stride, scores);
  } else if (stride == kWidth && rows == 1) {
    DotSteps<kMemory>(q, kWidth, 1, kWidth, order, keys, kWidth, scores);
  } else if (stride == kWidth && rows == 2) {
    DotSteps<kMemory>(q, kWidth, 2, kWidth, order, keys, kWidth, scores);
  } else if (stride == kWidth && rows == 4) {
    DotSteps<kMemory>(q, kWidth, 4, kWidth, order, keys, kWidth, scores);
  } else {
    DotSteps<kMemory>(q, q_stride, rows, whole_depth, order, keys, stride, scores);
  }
}

#define FOVEA_VALUE_BEGIN_ROW(r)                                                           \
  float* HWY_RESTRICT to##r = out + std::min(r, R - 1) * out_stride + c;                   \
  FloatVector a##r = hn::Load(d, to##r), b##r = hn::Load(d, to##r + (NV > 1 ? lanes : 0)), \
              c##r = hn::Load(d, to##r + (NV > 2 ? 2 * lanes : 0)),                        \
              e##r = hn::Load(d, to##r + (NV > 3 ? 3 * lanes : 0));

#define FOVEA_VALUE_ROW(r, s)                             \
  if constexpr (R > r) {                                  \
    const FloatVector w = hn::Set(d, weights[R * s + r]); \
    a##r = hn::MulAdd(w, x0, a##r);                       \
    if constexpr (NV > 1) b##r = hn::MulAdd(w, x1, b##r); \
    if constexpr (NV > 2) c##r = hn::MulAdd(w, x2, c##r); \
    if constexpr (NV > 3) e##r = hn::MulAdd(w, x3, e##r); \
  }

#define FOVEA_VALUE_KEY(s)                                                                  \
  if constexpr (NS > s) {                                                                   \
    const T* HWY_RESTRICT v = keys.row[s] + c;                                              \
    if constexpr (FETCH == Fetch::kStreams) FetchLines<NV>(v, keys.near, keys.far);         \
    if constexpr (FetchesNeighbours(FETCH)) FetchFollowing<FETCH>(keys, s, c, NV * lanes);  \
    const FloatVector x0 = LoadStored(d, v), x1 = NV > 1 ? LoadStored(d, v + lanes) : x0,   \
                      x2 = NV > 2 ? LoadStored(d, v + 2 * lanes) : x0,                      \
                      x3 = NV > 3 ? LoadStored(d, v + 3 * lanes) : x0;                      \
    FOVEA_VALUE_ROW(0, s) FOVEA_VALUE_ROW(1, s) FOVEA_VALUE_ROW(2, s) FOVEA_VALUE_ROW(3, s) \
  }

#define FOVEA_VALUE_END_ROW(r)                                   \
  if constexpr (R > r) {                                         \
    hn::Store(a##r, d, to##r);                                   \
    if constexpr (NV > 1) hn::Store(b##r, d, to##r + lanes);     \
    if constexpr (NV > 2) hn::Store(c##r, d, to##r + 2 * lanes); \
    if constexpr (NV > 3) hn::Store(e##r, d, to##r + 3 * lanes); \
  }

// out [R, c .. c + NV vectors] += weights · values of NS keys; weights [NS, R].
template <int R, int NV, int NS, Fetch FETCH, typename T>
HWY_INLINE void ValueTile(const float* HWY_RESTRICT weights, const StreamKeys<T, NS>& keys, Index c,
                          float* HWY_RESTRICT out, Index out_stride) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FOVEA_VALUE_BEGIN_ROW(0)
  FOVEA_VALUE_BEGIN_ROW(1)
  FOVEA_VALUE_BEGIN_ROW(2)
  FOVEA_VALUE_BEGIN_ROW(3)
  FOVEA_VALUE_KEY(0)
  FOVEA_VALUE_KEY(1)
  FOVEA_VALUE_KEY(2)
  FOVEA_VALUE_KEY(3)
  FOVEA_VALUE_KEY(4)
  FOVEA_VALUE_KEY(5)
  FOVEA_VALUE_KEY(6)
  FOVEA_VALUE_KEY(7)
  FOVEA_VALUE_END_ROW(0)
  FOVEA_VALUE_END_ROW(1)
  FOVEA_VALUE_END_ROW(2)
  FOVEA_VALUE_END_ROW(3)
}
#undef FOVEA_VALUE_BEGIN_ROW
#undef FOVEA_VALUE_ROW
#undef FOVEA_VALUE_KEY
#undef FOVEA_VALUE_END_ROW

// All columns of R rows; those of `out` are whole vectors.
template <int R, int NS, Fetch FETCH, typename T>
HWY_INLINE void AddValuesOfRows(const float* HWY_RESTRICT scores, const StreamKeys<T, NS>& keys,
                                Index columns, float* HWY_RESTRICT out, Index out_stride) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  float weights[R * NS];
  for (int s = 0; s < NS; ++s) {
    for (int r = 0; r < R; ++r) weights[R * s + r] = scores[r * kScoreStride + keys.key[s]];
  }
  Index c = 0;
  constexpr int kVectors = kValueTileVectors<R>;
  for (; c + kVectors * lanes <= columns; c += kVectors * lanes) {
    ValueTile<R, kVectors, NS, FETCH>(weights, keys, c, out, out_stride);
  }
  for (; c + lanes <= columns; c += lanes) {
    ValueTile<R, 1, NS, FETCH>(weights, keys, c, out, out_stride);
  }
  if (c == columns) return;
  // The same instructions as above for the last columns: of scalar code, the bits depended on the type.
  StreamKeys<T, NS> last = keys;
  T some[NS][HWY_MAX_BYTES / sizeof(float)] = {};
  for (int s = 0; s < NS; ++s) {
    std::copy_n(keys.row[s] + c, columns - c, some[s]);
    last.row[s] = some[s];
  }
  ValueTile<R, 1, NS, Fetch::kNothing>(weights, last, 0, out + c, out_stride);
}

// The next rows of out [rows, columns] += weights · values of NS keys; how many.
template <int NS, Fetch FETCH, typename T>
HWY_INLINE Index AddValuesOfNextRows(const float* scores, Index left, const StreamKeys<T, NS>& keys,
                                     Index columns, float* out, Index out_stride) {
  if (kValueTileRows<T> == 4 && left >= 4) {
    AddValuesOfRows<kValueTileRows<T>, NS, FETCH>(scores, keys, columns, out, out_stride);
    return 4;
  }
  if (left >= 2) {
    AddValuesOfRows<2, NS, FETCH>(scores, keys, columns, out, out_stride);
    return 2;
  }
  AddValuesOfRows<1, NS, FETCH>(scores, keys, columns, out, out_stride);
  return 1;
}

// out [rows, columns] += weights · values of NS keys, whose weights stand at the places of the keys. The
// first tile fetches for all.
template <Fetch FETCH, int NS, typename T>
HWY_INLINE void AddValuesOfAllRows(const float* scores, Index rows, const StreamKeys<T, NS>& keys,
                                   Index columns, float* out, Index out_stride) {
  Index r = 0;
  if constexpr (kFetches && NS > 1) {
    r = AddValuesOfNextRows<NS, FETCH>(scores, rows, keys, columns, out, out_stride);
  }
  while (r < rows) {
    r += AddValuesOfNextRows<NS, Fetch::kNothing>(scores + r * kScoreStride, rows - r, keys, columns,
                                                  out + r * out_stride, out_stride);
  }
}

template <int NS, typename T>
HWY_NOINLINE void AddValuesOf(const float* scores, Index rows, const StreamKeys<T, NS>& keys, Index columns,
                              float* out, Index out_stride) {
  AddValuesOfAllRows<Fetch::kStreams>(scores, rows, keys, columns, out, out_stride);
}

// Steps from the first one up to, but without, the last one.
struct Steps {
  Index begin, end;
};

template <Fetch FETCH, typename T>
HWY_INLINE void AddValuesOfSteps(const float* scores, Index rows, const Neighbours<kNeighbours>& order,
                                 Steps steps, const T* values, Index stride, Index columns, float* out,
                                 Index out_stride) {
  for (Index step = steps.begin; step < steps.end; ++step) {
    AddValuesOfAllRows<FETCH>(scores, rows, order.at(step, values, stride), columns, out, out_stride);
  }
}

// Some steps in the order of memory; as DotInMemoryOrder.
template <typename T>
HWY_NOINLINE void AddValuesInMemoryOrder(const float* scores, Index rows,
                                         const Neighbours<kNeighbours>& order, Steps steps, const T* values,
                                         Index stride, Index columns, float* out, Index out_stride) {
  constexpr Fetch kMemory = Fetch::kMemory;
  constexpr Index kWidth = kUsualWidth;
  if (!order.is_dense<T>(stride)) {
    AddValuesOfSteps<Fetch::kRows>(scores, rows, order, steps, values, stride, columns, out, out_stride);
  } else if (stride == kWidth && rows == 1) {
    AddValuesOfSteps<kMemory>(scores, 1, order, steps, values, kWidth, kWidth, out, kWidth);
  } else if (stride == kWidth && rows == 2) {
    AddValuesOfSteps<kMemory>(scores, 2, order, steps, values, kWidth, kWidth, out, kWidth);
  } else if (stride == kWidth && rows == 4) {
    AddValuesOfSteps<kMemory>(scores, 4, order, steps, values, kWidth, kWidth, out, kWidth);
  } else {
    AddValuesOfSteps<kMemory>(scores, rows, order, steps, values, stride, columns, out, out_stride);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_DECODE_TILES_INL_H_
