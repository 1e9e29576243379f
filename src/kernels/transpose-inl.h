// Rows to lanes and back. Include inside foreach_target.
#if defined(FOVEA_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_TRANSPOSE_INL_H_
#undef FOVEA_KERNELS_TRANSPOSE_INL_H_
#else
#define FOVEA_KERNELS_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Four = hn::FixedTag<float, 4>;  // vectors of 128 bits exist everywhere

// Blocks of 128 bits: block j of a, b, c, e holds 4 columns of the rows 4j, 4j + 1, 4j + 2, 4j + 3. Row i
// of `to` gets column i of all rows, in order.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void TransposeBlocks(D d, V a, V b, V c, V e, float* HWY_RESTRICT to, Index stride) {
  const hn::Repartition<double, D> dd;
  const auto ab_low = hn::BitCast(dd, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(dd, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(dd, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(dd, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, ab_low, ce_low)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, ab_low, ce_low)), d, to + stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, ab_high, ce_high)), d, to + 2 * stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, ab_high, ce_high)), d, to + 3 * stride);
}

// to [4, 4] = transposed (from [4, 4] · factor [4], one per column).
HWY_INLINE void Transpose4x4(const float* HWY_RESTRICT from, Index from_stride, hn::Vec<Four> factor,
                             float* HWY_RESTRICT to, Index stride) {
  const auto row = [&](Index r)
                       HWY_ATTR { return hn::Mul(hn::LoadU(Four(), from + r * from_stride), factor); };
  TransposeBlocks(Four(), row(0), row(1), row(2), row(3), to, stride);
}

// 4 floats of each of the rows 0, 4, 8, .., as many as fill a vector.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* HWY_RESTRICT from, Index stride) {
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
  if constexpr (kLanes == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, from + kLanes / 2 * stride, stride),
                       LoadBlocks(half, from, stride));
  }
}

// TransposeIn for groups of as many rows as D has lanes, from row r on; returns the first row left.
template <class D>
HWY_INLINE Index TransposeGroups(D d, const float* HWY_RESTRICT from, Index from_stride, Index r,
                                 Index rows, Index columns, float factor, float* HWY_RESTRICT to,
                                 Index to_stride) {
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
  const auto factors = hn::Set(d, factor);
  for (; r + kLanes <= rows; r += kLanes) {
    const float* HWY_RESTRICT group = from + r * from_stride;
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      const auto row = [&](Index i) HWY_ATTR {
        return hn::Mul(LoadBlocks(d, group + i * from_stride + c, from_stride), factors);
      };
      TransposeBlocks(d, row(0), row(1), row(2), row(3), to + c * to_stride + r, to_stride);
    }
    for (; c < columns; ++c) {
      for (Index i = 0; i < kLanes; ++i) to[c * to_stride + r + i] = group[i * from_stride + c] * factor;
    }
  }
  return r;
}
#endif

#if HWY_TARGET == HWY_AVX3
// to [16, 16] = transposed (from [16, 16] · factor [16], one per column), without a store of less than 64
// bytes.
HWY_INLINE void Transpose16x16(const float* HWY_RESTRICT from, Index from_stride, hn::Vec512<float> factor,
                               float* HWY_RESTRICT to, Index to_stride) {
  // Block b of blocks[g][j] (128 bits) is column 4b + j of the rows 4g .. 4g + 3.
  __m512 blocks[4][4];
  for (Index g = 0; g < 4; ++g) {
    const auto row = [&](Index i) HWY_ATTR {
      return _mm512_mul_ps(_mm512_loadu_ps(from + (4 * g + i) * from_stride), factor.raw);
    };
    const __m512 a = row(0), b = row(1), c = row(2), e = row(3);
    const __m512d ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    const __m512d ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    const __m512d ce_low = _mm512_castps_pd(_mm512_unpacklo_ps(c, e));
    const __m512d ce_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, e));
    blocks[g][0] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_low, ce_low));
    blocks[g][1] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_low, ce_low));
    blocks[g][2] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, ce_high));
    blocks[g][3] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, ce_high));
  }
  for (Index j = 0; j < 4; ++j) {
    const __m512 low01 = _mm512_shuffle_f32x4(blocks[0][j], blocks[1][j], 0x44);
    const __m512 low23 = _mm512_shuffle_f32x4(blocks[2][j], blocks[3][j], 0x44);
    const __m512 high01 = _mm512_shuffle_f32x4(blocks[0][j], blocks[1][j], 0xEE);
    const __m512 high23 = _mm512_shuffle_f32x4(blocks[2][j], blocks[3][j], 0xEE);
    _mm512_storeu_ps(to + j * to_stride, _mm512_shuffle_f32x4(low01, low23, 0x88));
    _mm512_storeu_ps(to + (4 + j) * to_stride, _mm512_shuffle_f32x4(low01, low23, 0xDD));
    _mm512_storeu_ps(to + (8 + j) * to_stride, _mm512_shuffle_f32x4(high01, high23, 0x88));
    _mm512_storeu_ps(to + (12 + j) * to_stride, _mm512_shuffle_f32x4(high01, high23, 0xDD));
  }
}
#endif

// to [columns, rows] = transposed from [rows, columns] · factor; strides in floats, elements side by side.
// Reads row after row: for a source in memory and a target in cache.
inline void TransposeIn(const float* HWY_RESTRICT from, Index from_stride, Index rows, Index columns,
                        float factor, float* HWY_RESTRICT to, Index to_stride) {
  Index r = 0;
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
  const hn::ScalableTag<float> d;
  r = TransposeGroups(d, from, from_stride, r, rows, columns, factor, to, to_stride);
#endif
#if HWY_TARGET != HWY_SCALAR
  r = TransposeGroups(Four(), from, from_stride, r, rows, columns, factor, to, to_stride);
#endif
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[c * to_stride + r] = from[r * from_stride + c] * factor;
  }
}

// to [columns, rows] = transposed from [rows, columns] · factors [columns]. Writes row after row: for a
// source in cache and a target in memory.
inline void TransposeOut(const float* HWY_RESTRICT from, Index from_stride, Index rows, Index columns,
                         const float* HWY_RESTRICT factors, float* HWY_RESTRICT to, Index to_stride) {
  Index c = 0;
#if HWY_TARGET == HWY_AVX3
  if (rows % 16 == 0) {
    for (; c + 16 <= columns; c += 16) {
      const auto sixteen = hn::LoadU(hn::Full512<float>(), factors + c);
      for (Index r = 0; r < rows; r += 16) {
        Transpose16x16(from + r * from_stride + c, from_stride, sixteen, to + c * to_stride + r, to_stride);
      }
    }
  }
#endif
#if HWY_TARGET != HWY_SCALAR
  for (; c + 4 <= columns; c += 4) {
    const auto four = hn::LoadU(Four(), factors + c);
    Index r = 0;
    for (; r + 4 <= rows; r += 4) {
      Transpose4x4(from + r * from_stride + c, from_stride, four, to + c * to_stride + r, to_stride);
    }
    for (; r < rows; ++r) {
      for (Index i = 0; i < 4; ++i) {
        to[(c + i) * to_stride + r] = from[r * from_stride + c + i] * factors[c + i];
      }
    }
  }
#endif
  for (; c < columns; ++c) {
    for (Index r = 0; r < rows; ++r) to[c * to_stride + r] = from[r * from_stride + c] * factors[c];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_TRANSPOSE_INL_H_
