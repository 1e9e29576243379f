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

// Φ(−a) = (1 − erf(a / √2)) / 2 for 0 ≤ a ≤ 16, as 2^(a · Q(a) − 1) with one polynomial Q, a minimax fit
// with an absolute error of 8e-9; past a = 6 it falls on as it should.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluTail(D d, V a) {
  V q = hn::Set(d, -2.83491272e-6f);
  q = hn::MulAdd(q, a, hn::Set(d, 3.93776936e-5f));
  q = hn::MulAdd(q, a, hn::Set(d, -1.86180245e-4f));
  q = hn::MulAdd(q, a, hn::Set(d, -1.36936345e-4f));
  q = hn::MulAdd(q, a, hn::Set(d, 7.06342002e-3f));
  q = hn::MulAdd(q, a, hn::Set(d, -5.24961799e-2f));
  q = hn::MulAdd(q, a, hn::Set(d, -4.5920819e-1f));
  q = hn::MulAdd(q, a, hn::Set(d, -1.15110517f));
  return Exp2NonPositive(d, hn::MulAdd(q, a, hn::Set(d, -1.0f)));
}

// x · Φ(x) = max(x, 0) − a · Φ(−a) with a = |x|, for both signs.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {
  const V a = hn::Min(hn::Abs(x), hn::Set(d, 16.0f));  // an infinite a times 0 would be NaN
  const V positive = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);  // keeps NaN
  return hn::NegMulAdd(a, GeluTail(d, a), positive);
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
