// Products of so few rows that the other factor is read once and never packed. Include inside
// foreach_target.
#if defined(FOVEA_KERNELS_FEW_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_FEW_ROWS_INL_H_
#undef FOVEA_KERNELS_FEW_ROWS_INL_H_
#else
#define FOVEA_KERNELS_FEW_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/few_rows.h"
#include "kernels/panel_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sums [columns] += x [8] · y [8, columns], term after term. Eight rows are eight streams, which the
// hardware follows by itself, and the sums are loaded and stored once for all of them.
HWY_INLINE void AddEightRows(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, Index stride,
                             Index columns, float* HWY_RESTRICT sums) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto x0 = hn::Set(d, x[0]), x1 = hn::Set(d, x[1]), x2 = hn::Set(d, x[2]), x3 = hn::Set(d, x[3]);
  const auto x4 = hn::Set(d, x[4]), x5 = hn::Set(d, x[5]), x6 = hn::Set(d, x[6]), x7 = hn::Set(d, x[7]);
  Index c = 0;
  for (; c + lanes <= columns; c += lanes) {
    const float *HWY_RESTRICT y0 = y + c, *HWY_RESTRICT y4 = y + 4 * stride + c;
    auto sum = hn::MulAdd(x0, hn::LoadU(d, y0), hn::LoadU(d, sums + c));
    sum = hn::MulAdd(x1, hn::LoadU(d, y0 + stride), sum);
    sum = hn::MulAdd(x2, hn::LoadU(d, y0 + 2 * stride), sum);
    sum = hn::MulAdd(x3, hn::LoadU(d, y0 + 3 * stride), sum);
    sum = hn::MulAdd(x4, hn::LoadU(d, y4), sum);
    sum = hn::MulAdd(x5, hn::LoadU(d, y4 + stride), sum);
    sum = hn::MulAdd(x6, hn::LoadU(d, y4 + 2 * stride), sum);
    sum = hn::MulAdd(x7, hn::LoadU(d, y4 + 3 * stride), sum);
    hn::StoreU(sum, d, sums + c);
  }
  for (; c < columns; ++c) {
    for (Index t = 0; t < 8; ++t) sums[c] += x[t] * y[t * stride + c];
  }
}

// sums [rows, columns] = x [rows, depth] · y [depth, columns], in blocks as the register tile: each begins
// at zero, in `block` [rows, columns].
inline void SweepRows(const FewRows& f, Index column, Index columns, float* sums, float* block) {
  std::fill_n(sums, f.rows * columns, 0.0f);
  for (Index begin = 0; begin < f.depth; begin += kDepthBlock) {
    const Index end = std::min(begin + kDepthBlock, f.depth);
    std::fill_n(block, f.rows * columns, 0.0f);
    Index t = begin;
    for (; t + 8 <= end; t += 8) {
      for (Index r = 0; r < f.rows; ++r) {
        AddEightRows(f.x + r * f.x_stride + t, f.y + t * f.y_stride + column, f.y_stride, columns,
                     block + r * columns);
      }
    }
    for (; t < end; ++t) {
      const float* HWY_RESTRICT y = f.y + t * f.y_stride + column;
      for (Index r = 0; r < f.rows; ++r) {
        const float x = f.x[r * f.x_stride + t];
        for (Index c = 0; c < columns; ++c) block[r * columns + c] += x * y[c];
      }
    }
    for (Index i = 0; i < f.rows * columns; ++i) sums[i] += block[i];
  }
}

// sums [4] = x [depth] · four rows y [4, depth].
HWY_INLINE void DotFourRows(const float* HWY_RESTRICT x, const float* const HWY_RESTRICT* y, Index depth,
                            float* HWY_RESTRICT sums) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const float *HWY_RESTRICT y0 = y[0], *HWY_RESTRICT y1 = y[1], *HWY_RESTRICT y2 = y[2],
                            *HWY_RESTRICT y3 = y[3];
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index t = 0;
  for (; t + lanes <= depth; t += lanes) {
    const auto factor = hn::LoadU(d, x + t);
    s0 = hn::MulAdd(factor, hn::LoadU(d, y0 + t), s0);
    s1 = hn::MulAdd(factor, hn::LoadU(d, y1 + t), s1);
    s2 = hn::MulAdd(factor, hn::LoadU(d, y2 + t), s2);
    s3 = hn::MulAdd(factor, hn::LoadU(d, y3 + t), s3);
  }
  sums[0] = hn::GetLane(hn::SumOfLanes(d, s0)), sums[1] = hn::GetLane(hn::SumOfLanes(d, s1));
  sums[2] = hn::GetLane(hn::SumOfLanes(d, s2)), sums[3] = hn::GetLane(hn::SumOfLanes(d, s3));
  for (; t < depth; ++t) {
    sums[0] += x[t] * y0[t], sums[1] += x[t] * y1[t], sums[2] += x[t] * y2[t], sums[3] += x[t] * y3[t];
  }
}

// sums [rows, columns] = x [rows, depth] · transposed y [columns, depth]: four rows of y are read together,
// and stay in cache for all rows of x.
inline void DotRows(const FewRows& f, Index column, Index columns, float* sums) {
  for (Index c = 0; c < columns; c += 4) {
    const float* y[4];
    for (Index i = 0; i < 4; ++i) y[i] = f.y + (column + std::min(c + i, columns - 1)) * f.y_stride;
    for (Index r = 0; r < f.rows; ++r) {
      float four[4];
      DotFourRows(f.x + r * f.x_stride, y, f.depth, four);
      std::copy_n(four, std::min<Index>(4, columns - c), sums + r * columns + c);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_FEW_ROWS_INL_H_
