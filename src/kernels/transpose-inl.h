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
// to [4, 4] = transposed from [4, 4], with the rows' strides. Vectors of 128 bits exist everywhere.
HWY_INLINE void Transpose4x4(const float* HWY_RESTRICT r0, const float* HWY_RESTRICT r1,
                             const float* HWY_RESTRICT r2, const float* HWY_RESTRICT r3,
                             float* HWY_RESTRICT to, Index stride) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> dd;
  const auto a = hn::LoadU(d, r0), b = hn::LoadU(d, r1), c = hn::LoadU(d, r2), e = hn::LoadU(d, r3);
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

// to [columns, rows] = transposed from [rows, columns]; strides in floats, elements side by side.
HWY_INLINE void Transpose(const float* HWY_RESTRICT from, Index from_stride, Index rows, Index columns,
                          float* HWY_RESTRICT to, Index to_stride) {
  Index r = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; r + 4 <= rows; r += 4) {
    const float* HWY_RESTRICT row = from + r * from_stride;
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      Transpose4x4(row + c, row + from_stride + c, row + 2 * from_stride + c, row + 3 * from_stride + c,
                   to + c * to_stride + r, to_stride);
    }
    for (; c < columns; ++c) {
      for (Index i = 0; i < 4; ++i) to[c * to_stride + r + i] = row[i * from_stride + c];
    }
  }
#endif
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[c * to_stride + r] = from[r * from_stride + c];
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_TRANSPOSE_INL_H_
