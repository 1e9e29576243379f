// Activation functions of feed-forward layers, on vectors. Include inside foreach_target.
#if defined(FOVEA_KERNELS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ACTIVATION_INL_H_
#undef FOVEA_KERNELS_ACTIVATION_INL_H_
#else
#define FOVEA_KERNELS_ACTIVATION_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/activation.h"
#include "kernels/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// 1 / (1 + exp(−x)), without overflow: only exp of what is not positive is taken.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V e = Exp2NonPositive(d, hn::Mul(hn::Abs(x), hn::Set(d, -1.44269504f)));
  const V one = hn::Set(d, 1.0f);
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// 0.5 · x · (1 + tanh(√(2/π) (x + 0.044715 x³))) = x · sigmoid(2 √(2/π) (x + 0.044715 x³)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluTanh(D d, V x) {
  const V cubic =
      hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.044715f * 1.5957691216f), hn::Set(d, 1.5957691216f));
  return hn::Mul(x, Sigmoid(d, hn::Mul(x, cubic)));
}

// x · Φ(x) with Φ(x) = (1 + erf(x / √2)) / 2, in two parts of t = |x| / √2, both minimax fits:
//   t < 1: erf(t) / t as a polynomial in t², relative error 1.2e-9;
//   else:  erfc(t) = 2^(−t · Q(t)), absolute error 3.3e-10. Up to t = 8 it falls to 2^−110 as it should.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {
  const V t = hn::Min(hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678f)), hn::Set(d, 8.0f));
  const V s = hn::Mul(t, t);
  V p = hn::Set(d, 7.8538612e-5f);
  p = hn::MulAdd(p, s, hn::Set(d, -8.01019358e-4f));
  p = hn::MulAdd(p, s, hn::Set(d, 5.18832768e-3f));
  p = hn::MulAdd(p, s, hn::Set(d, -2.68538119e-2f));
  p = hn::MulAdd(p, s, hn::Set(d, 1.12835851e-1f));
  p = hn::MulAdd(p, s, hn::Set(d, -3.76126258e-1f));
  p = hn::MulAdd(p, s, hn::Set(d, 1.12837917f));
  V q = hn::Set(d, 7.43122103e-6f);
  q = hn::MulAdd(q, t, hn::Set(d, -6.9541972e-5f));
  q = hn::MulAdd(q, t, hn::Set(d, -5.2026206e-5f));
  q = hn::MulAdd(q, t, hn::Set(d, 4.17269668e-3f));
  q = hn::MulAdd(q, t, hn::Set(d, -3.26222167e-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 1.51775704e-1f));
  q = hn::MulAdd(q, t, hn::Set(d, 9.17058522e-1f));
  q = hn::MulAdd(q, t, hn::Set(d, 1.62814613f));
  const V erfc_large = Exp2NonPositive(d, hn::Neg(hn::Mul(t, q)));
  const V erfc = hn::IfThenElse(hn::Lt(t, hn::Set(d, 1.0f)), hn::NegMulAdd(t, p, hn::Set(d, 1.0f)),
                                erfc_large);  // of |x| / √2
  const V half = hn::Mul(erfc, hn::Set(d, 0.5f));
  const V phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), half, hn::Sub(hn::Set(d, 1.0f), half));
  return hn::Mul(x, phi);
}

// Calls body(function) with the function of the activation: FloatVector → FloatVector.
template <class Body>
HWY_INLINE void WithActivation(Activation activation, const Body& body) {
  const Floats d;
  switch (activation) {
    case Activation::none:
      return body([](FloatVector x) { return x; });
    case Activation::relu:  // NaN is kept by the comparison
      return body([d](FloatVector x) { return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x); });
    case Activation::silu:
      return body([d](FloatVector x) { return hn::Mul(x, Sigmoid(d, x)); });
    case Activation::gelu:
      return body([d](FloatVector x) { return Gelu(d, x); });
    case Activation::gelu_tanh:
      return body([d](FloatVector x) { return GeluTanh(d, x); });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ACTIVATION_INL_H_
