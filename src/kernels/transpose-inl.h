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

// to [4, 4] = transposed (from [4, 4] · factor [4], one per column).
HWY_INLINE void Transpose4x4(const float* HWY_RESTRICT from, Index from_stride, hn::Vec<Four> factor,
                             float* HWY_RESTRICT to, Index stride) {
  const Four d;
  const hn::FixedTag<double, 2> dd;
  const auto a = hn::Mul(hn::LoadU(d, from), factor);
  const auto b = hn::Mul(hn::LoadU(d, from + from_stride), factor);
  const auto c = hn::Mul(hn::LoadU(d, from + 2 * from_stride), factor);
  const auto e = hn::Mul(hn::LoadU(d, from + 3 * from_stride), factor);
  const auto ab_low = hn::BitCast(dd, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(dd, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(dd, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(dd, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, ab_low, ce_low)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, ab_low, ce_low)), d, to + stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, ab_high, ce_high)), d, to + 2 * stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, ab_high, ce_high)), d, to + 3 * stride);
}
#endif

// to [columns, rows] = transposed from [rows, columns] · factor; strides in floats, elements side by side.
// Reads row after row: for a source in memory and a target in cache.
inline void TransposeIn(const float* HWY_RESTRICT from, Index from_stride, Index rows, Index columns,
                        float factor, float* HWY_RESTRICT to, Index to_stride) {
  Index r = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto factors = hn::Set(Four(), factor);
  for (; r + 4 <= rows; r += 4) {
    const float* HWY_RESTRICT row = from + r * from_stride;
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      Transpose4x4(row + c, from_stride, factors, to + c * to_stride + r, to_stride);
    }
    for (; c < columns; ++c) {
      for (Index i = 0; i < 4; ++i) to[c * to_stride + r + i] = row[i * from_stride + c] * factor;
    }
  }
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
