// The two products of attention on a strip of queries, in registers. Include inside foreach_target.
//
// SIMD lanes run over queries: a strip holds W = NV · lanes of them, transposed. Keys and values are read
// in place, by broadcast; there is no packing of K and no horizontal sum. A register tile is 4 keys (or 4
// value columns) × NV vectors: 12 accumulators for NV = 3, which keeps both FMA units busy.
#if defined(FOVEA_KERNELS_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STRIP_INL_H_
#undef FOVEA_KERNELS_STRIP_INL_H_
#else
#define FOVEA_KERNELS_STRIP_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// One row of a register tile, acc += factor · x for each of the NV vectors. Row after row, so that only one
// factor is alive: 12 accumulators, 3 vectors of x and the factor are the 16 registers of AVX2.
#define FOVEA_MUL_ADD_ROW(a, b, c, value)                \
  {                                                      \
    const FloatVector factor = hn::Set(d, value);        \
    a = hn::MulAdd(factor, xa, a);                       \
    if constexpr (NV > 1) b = hn::MulAdd(factor, xb, b); \
    if constexpr (NV > 2) c = hn::MulAdd(factor, xc, c); \
  }

// scores [keys rounded up to 4, W] = k [keys, depth] · q [depth, W]. Rows past `keys` repeat the last key.
// Not inlined: GCC spills the accumulators when it is.
template <int NV>
HWY_NOINLINE void ScoreTile(const float* HWY_RESTRICT q, Index depth, const float* HWY_RESTRICT k,
                            Index k_stride, Index keys, float* HWY_RESTRICT scores) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index width = NV * lanes;
  for (Index j = 0; j < keys; j += 4) {
    const float* HWY_RESTRICT k0 = k + j * k_stride;
    const float* HWY_RESTRICT k1 = k + std::min(j + 1, keys - 1) * k_stride;
    const float* HWY_RESTRICT k2 = k + std::min(j + 2, keys - 1) * k_stride;
    const float* HWY_RESTRICT k3 = k + std::min(j + 3, keys - 1) * k_stride;
    FloatVector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
    FloatVector b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    FloatVector c0 = a0, c1 = a0, c2 = a0, c3 = a0;
    const float* HWY_RESTRICT x = q;
    HWY_UNROLL(4)
    for (Index i = 0; i < depth; ++i, x += width) {
      const FloatVector xa = hn::Load(d, x), xb = hn::Load(d, x + (NV > 1 ? lanes : 0));
      const FloatVector xc = hn::Load(d, x + (NV > 2 ? 2 * lanes : 0));
      FOVEA_MUL_ADD_ROW(a0, b0, c0, k0[i]);
      FOVEA_MUL_ADD_ROW(a1, b1, c1, k1[i]);
      FOVEA_MUL_ADD_ROW(a2, b2, c2, k2[i]);
      FOVEA_MUL_ADD_ROW(a3, b3, c3, k3[i]);
    }
    float* HWY_RESTRICT row = scores + j * width;
    const auto store = [&](Index at, FloatVector v0, FloatVector v1, FloatVector v2, FloatVector v3)
                           HWY_ATTR {
                             hn::Store(v0, d, row + at);
                             hn::Store(v1, d, row + width + at);
                             hn::Store(v2, d, row + 2 * width + at);
                             hn::Store(v3, d, row + 3 * width + at);
                           };
    store(0, a0, a1, a2, a3);
    if constexpr (NV > 1) store(lanes, b0, b1, b2, b3);
    if constexpr (NV > 2) store(2 * lanes, c0, c1, c2, c3);
  }
}

// out [value_width, W] = out · alpha [W] + vᵀ [value_width, keys] · p [keys, W]. The sum over this block
// starts at zero: it is three times as exact as adding to `out` key by key, and as fast.
template <int NV>
HWY_NOINLINE void ValueTile(const float* HWY_RESTRICT p, Index keys, const float* HWY_RESTRICT v,
                            Index v_stride, Index value_width, const float* HWY_RESTRICT alpha,
                            float* HWY_RESTRICT out) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index width = NV * lanes;
  for (Index c = 0; c < value_width; c += 4) {
    const Index columns = std::min<Index>(4, value_width - c);
    const Index c1 = std::min<Index>(1, columns - 1), c2 = std::min<Index>(2, columns - 1),
                c3 = columns - 1;
    FloatVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    FloatVector t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    FloatVector u0 = s0, u1 = s0, u2 = s0, u3 = s0;
    const float* HWY_RESTRICT row = v + c;
    const float* HWY_RESTRICT x = p;
    HWY_UNROLL(4)
    for (Index j = 0; j < keys; ++j, x += width, row += v_stride) {
      const FloatVector xa = hn::Load(d, x), xb = hn::Load(d, x + (NV > 1 ? lanes : 0));
      const FloatVector xc = hn::Load(d, x + (NV > 2 ? 2 * lanes : 0));
      FOVEA_MUL_ADD_ROW(s0, t0, u0, row[0]);
      FOVEA_MUL_ADD_ROW(s1, t1, u1, row[c1]);
      FOVEA_MUL_ADD_ROW(s2, t2, u2, row[c2]);
      FOVEA_MUL_ADD_ROW(s3, t3, u3, row[c3]);
    }
    const auto add = [&](Index at, FloatVector v0, FloatVector v1, FloatVector v2,
                         FloatVector v3) HWY_ATTR {
      const FloatVector factor = hn::Load(d, alpha + at);
      float* HWY_RESTRICT to = out + c * width + at;
      hn::Store(hn::MulAdd(hn::Load(d, to), factor, v0), d, to);
      if (columns > 1) hn::Store(hn::MulAdd(hn::Load(d, to + width), factor, v1), d, to + width);
      if (columns > 2) hn::Store(hn::MulAdd(hn::Load(d, to + 2 * width), factor, v2), d, to + 2 * width);
      if (columns > 3) hn::Store(hn::MulAdd(hn::Load(d, to + 3 * width), factor, v3), d, to + 3 * width);
    };
    add(0, s0, s1, s2, s3);
    if constexpr (NV > 1) add(lanes, t0, t1, t2, t3);
    if constexpr (NV > 2) add(2 * lanes, u0, u1, u2, u3);
  }
}

#undef FOVEA_MUL_ADD_ROW

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STRIP_INL_H_
