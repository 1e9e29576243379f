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

// 2^f for −½ ≤ f ≤ ½: degree 6, minimax in the relative error.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2Fraction(D d, V f) {
  V p = hn::Set(d, 1.5353362e-4f);
  p = hn::MulAdd(p, f, hn::Set(d, 1.3398875e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 9.6184369e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5503324e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022648e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.9314718e-1f));
  return hn::MulAdd(p, f, hn::Set(d, 1.0f));
}

#if HWY_TARGET == HWY_AVX3
// Highway 1.0.3 has neither of these two instructions. x − round(x) is one of them, and 0 for −inf; the
// other multiplies by 2 to the power of a float. It is masked because each result that underflows would
// take an assist: 80 ns for a vector of finite x < −126 (a mask of −1e9, say) instead of 1.6.
HWY_INLINE hn::Vec512<float> Exp2NonPositive512(hn::Vec512<float> x) {
  const hn::Full512<float> d;
#if HWY_COMPILER_CLANG
  const hn::Vec512<float> f{_mm512_reduce_ps(x.raw, 8)};
#else  // GCC 12, where it does not optimize, takes the second argument of _mm512_reduce_ps for a variable
  const hn::Vec512<float> f{
      __builtin_ia32_reduceps512_mask(x.raw, 8, _mm512_setzero_ps(), static_cast<__mmask16>(-1))};
#endif
  const __mmask16 kept = _mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(-126.0f), _CMP_NLT_UQ);  // NaN, too
  return hn::Vec512<float>{
      _mm512_maskz_scalef_ps(kept, Exp2Fraction(d, f).raw, _mm512_sub_ps(x.raw, f.raw))};
}
#endif

// 2^x for x ≤ 0. Relative error for −126 ≤ x, measured over every float there: below 0.672 · 2⁻²³ with
// fused multiply-add (AVX2, AVX-512, NEON, SVE), below 0.868 · 2⁻²³ without (SSE, scalar), where each step
// of the polynomial rounds once more. 0 from −126.5 on (with AVX-512 below −126), so that hidden keys
// (−inf) weigh exactly nothing; 1 exactly at 0; NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2NonPositive(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) return Exp2NonPositive512(x);
#endif
  const hn::RebindToSigned<D> di;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || !HWY_ARCH_X86
  // Max would lose a NaN: on Arm it is the number of the two.
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, -127.0f)), hn::Set(d, -127.0f), x);
#else
  x = hn::Max(hn::Set(d, -127.0f),
              x);  // in this order: on x86, Max returns its second argument if one is NaN
#endif
  // Adding 1.5 · 2²³ rounds to a whole number in the low bits; with 127 more they are the exponent of 2^x,
  // which at −127 is the exponent of 0.
  const V shift = hn::Set(d, 12582912.0f + 127.0f);
  const V shifted = hn::Add(x, shift);
  const V p = Exp2Fraction(d, hn::Sub(x, hn::Sub(shifted, shift)));  // exact, [−½, ½]
  // The product, not an addition to the exponent bits: NaN must come out as NaN, and 0 as 0.
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_EXP2_INL_H_
