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

// 2^x for x ≤ 0. Relative error at most 0.7 · 2⁻²³ for x ≥ −126; 0 below, so that hidden keys (−inf) weigh
// exactly nothing; 1 exactly at 0; NaN stays NaN. Degree 6, minimax in the relative error on [−½, ½].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2NonPositive(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V whole = hn::Round(x);
  const V f = hn::Sub(x, whole);  // exact
  V p = hn::Set(d, 1.5353362e-4f);
  p = hn::MulAdd(p, f, hn::Set(d, 1.3398875e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 9.6184369e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5503324e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022648e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.9314718e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  // The product, not an addition to the exponent bits: NaN must come out as NaN.
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, whole), hn::Set(di, 127)));
  const V power = hn::Mul(p, hn::BitCast(d, exponent));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -126.0f)), hn::Zero(d), power);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_EXP2_INL_H_
