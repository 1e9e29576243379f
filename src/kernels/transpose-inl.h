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
