// 2^x for the softmax inside attention. Include inside foreach_target.
#if defined(FOVEA_KERNELS_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_EXP2_INL_H_
#undef FOVEA_KERNELS_EXP2_INL_H_
#else
#define FOVEA_KERNELS_EXP2_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 2^x for x ≤ 0. Relative error for −126 ≤ x, measured over every float there: below 0.672 · 2⁻²³ with
// fused multiply-add (AVX2, AVX-512, NEON, SVE), below 0.868 · 2⁻²³ without (SSE, scalar), where each step
// of the polynomial rounds once more. 0 from −126.5 on, so that hidden keys (−inf) weigh exactly nothing; 1
// exactly at 0; NaN stays NaN. Degree 6, minimax in the relative error on [−½, ½].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2NonPositive(D d, V x) {
  const hn::RebindToSigned<D> di;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, -127.0f)), hn::Set(d, -127.0f), x);  // Max would lose a NaN
#else
  x = hn::Max(hn::Set(d, -127.0f),
              x);  // in this order: on x86, Max returns its second argument if one is NaN
#endif
  // Adding 1.5 · 2²³ rounds to a whole number in the low bits; with 127 more they are the exponent of 2^x,
  // which at −127 is the exponent of 0.
  const V shift = hn::Set(d, 12582912.0f + 127.0f);
  const V shifted = hn::Add(x, shift);
  const V f = hn::Sub(x, hn::Sub(shifted, shift));  // exact, [−½, ½]
  V p = hn::Set(d, 1.5353362e-4f);
  p = hn::MulAdd(p, f, hn::Set(d, 1.3398875e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 9.6184369e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5503324e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022648e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.9314718e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  // The product, not an addition to the exponent bits: NaN must come out as NaN, and 0 as 0.
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_EXP2_INL_H_
