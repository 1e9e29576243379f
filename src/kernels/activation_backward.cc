#include "kernels/activation_backward.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

// Value and slope of each activation. (Not as a struct: vectors of SVE have no size.)

// s = sigmoid(x) and 1 − s, which by subtraction would be off by 6e-8: x times that is too much.
HWY_INLINE void SigmoidAndRest(FloatVector x, FloatVector& s, FloatVector& rest) {
  const Floats d;
  const FloatVector e = Exp2NonPositive(d, hn::Mul(hn::Abs(x), hn::Set(d, -1.44269504f)));
  const FloatVector large = hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), e));
  const FloatVector small = hn::Mul(e, large);
  const auto negative = hn::Lt(x, hn::Zero(d));
  s = hn::IfThenElse(negative, small, large);
  rest = hn::IfThenElse(negative, large, small);
}

// silu = x · s with s = sigmoid(x): s + x · s · (1 − s).
HWY_INLINE void SiluSlope(FloatVector x, FloatVector& value, FloatVector& slope) {
  FloatVector s, rest;
  SigmoidAndRest(x, s, rest);
  value = hn::Mul(x, s);
  slope = hn::MulAdd(value, rest, s);
}

// x · s(u) with u = 2 √(2/π) (x + 0.044715 x³): s + x · s · (1 − s) · u'.
HWY_INLINE void GeluTanhSlope(FloatVector x, FloatVector& value, FloatVector& slope) {
  const Floats d;
  const FloatVector square = hn::Mul(x, x), linear = hn::Set(d, 1.5957691216f);
  const FloatVector cubic = hn::Set(d, 0.044715f * 1.5957691216f);
  FloatVector s, rest;
  SigmoidAndRest(hn::Mul(x, hn::MulAdd(square, cubic, linear)), s, rest);
  value = hn::Mul(x, s);
  const FloatVector du = hn::MulAdd(square, hn::Mul(cubic, hn::Set(d, 3.0f)), linear);
  const FloatVector bend = hn::Mul(hn::Mul(value, rest), du);
  // Far out the bend is 0, but might be computed as 0 · ∞.
  const auto far = hn::Gt(hn::Abs(x), hn::Set(d, 30.0f));
  slope = hn::Add(s, hn::IfThenElse(far, hn::Zero(d), bend));
}

// x · Φ(x): Φ(x) + x · φ(x), with φ(x) = exp(−x²/2) / √(2π).
HWY_INLINE void GeluSlope(FloatVector x, FloatVector& value, FloatVector& slope) {
  const Floats d;
  const FloatVector a = hn::Min(hn::Abs(x), hn::Set(d, 16.0f)), below = GeluTail(d, a);  // Φ(−a)
  const auto negative = hn::Lt(x, hn::Zero(d));
  value = hn::NegMulAdd(a, below, hn::IfThenElse(negative, hn::Zero(d), x));
  const FloatVector power = hn::Mul(hn::Mul(a, a), hn::Set(d, -0.72134752f));  // −a² / 2, of 2
  const FloatVector a_density = hn::Mul(hn::Mul(a, hn::Set(d, 0.39894228f)), Exp2NonPositive(d, power));
  const FloatVector at_negative = hn::Sub(below, a_density);
  slope = hn::IfThenElse(negative, at_negative, hn::Sub(hn::Set(d, 1.0f), at_negative));
  slope = hn::IfThenElse(hn::IsNaN(x), x, slope);
}

HWY_INLINE void ReluSlope(FloatVector x, FloatVector& value, FloatVector& slope) {
  const Floats d;
  value = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  slope = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, 1.0f), hn::Zero(d));
  slope = hn::IfThenElse(hn::IsNaN(x), x, slope);
}

// Calls body(function) with the function of the activation: x → value, slope.
template <class Body>
HWY_INLINE void WithSlope(Activation activation, const Body& body) {
  switch (activation) {
    case Activation::none:
      return body([](FloatVector x, FloatVector& value, FloatVector& slope) {
        value = x;
        slope = hn::Set(Floats(), 1.0f);
      });
    case Activation::relu:
      return body([](FloatVector x, FloatVector& v, FloatVector& s) { ReluSlope(x, v, s); });
    case Activation::silu:
      return body([](FloatVector x, FloatVector& v, FloatVector& s) { SiluSlope(x, v, s); });
    case Activation::gelu:
      return body([](FloatVector x, FloatVector& v, FloatVector& s) { GeluSlope(x, v, s); });
    case Activation::gelu_tanh:
      return body([](FloatVector x, FloatVector& v, FloatVector& s) { GeluTanhSlope(x, v, s); });
  }
}

// step(i) for whole vectors; where they end. The rest is done by vectors, too, on copies: an element's bits
// do not depend on where it stands.
template <class Step>
HWY_INLINE Index ForVectors(Index count, const Step& step) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) step(i);
  return i;
}

void ActivatePart(Activation activation, const float* x, Index count, float* y) {
  WithActivation(activation, [&](const auto& f) {
    const Floats d;
    const Index done = ForVectors(count, [&](Index i) { hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i); });
    if (done == count) return;
    HWY_ALIGN float rest[kMostLanes] = {};
    std::copy(x + done, x + count, rest);
    hn::Store(f(hn::Load(d, rest)), d, rest);
    std::copy_n(rest, count - done, y + done);
  });
}

void ActivateBackwardPart(Activation activation, const float* x, const float* dy, Index count, float* dx) {
  WithSlope(activation, [&](const auto& f) {
    const Floats d;
    const Index done = ForVectors(count, [&](Index i) {
      FloatVector value, slope;
      f(hn::LoadU(d, x + i), value, slope);
      hn::StoreU(hn::Mul(hn::LoadU(d, dy + i), slope), d, dx + i);
    });
    if (done == count) return;
    HWY_ALIGN float rest_x[kMostLanes] = {}, rest_dy[kMostLanes] = {};
    std::copy(x + done, x + count, rest_x);
    std::copy(dy + done, dy + count, rest_dy);
    FloatVector value, slope;
    f(hn::Load(d, rest_x), value, slope);
    hn::Store(hn::Mul(hn::Load(d, rest_dy), slope), d, rest_dy);
    std::copy_n(rest_dy, count - done, dx + done);
  });
}

void GatedPart(Activation activation, const float* x, Index rows, Index width, float* y) {
  WithActivation(activation, [&](const auto& f) {
    const Floats d;
    for (Index row = 0; row < rows; ++row) {
      const float *gate = x + row * 2 * width, *up = gate + width;
      float* to = y + row * width;
      const Index done = ForVectors(width, [&](Index i) {
        hn::StoreU(hn::Mul(f(hn::LoadU(d, gate + i)), hn::LoadU(d, up + i)), d, to + i);
      });
      if (done == width) continue;
      HWY_ALIGN float rest_gate[kMostLanes] = {}, rest_up[kMostLanes] = {};
      std::copy(gate + done, gate + width, rest_gate);
      std::copy(up + done, up + width, rest_up);
      hn::Store(hn::Mul(f(hn::Load(d, rest_gate)), hn::Load(d, rest_up)), d, rest_gate);
      std::copy_n(rest_gate, width - done, to + done);
    }
  });
}

void GatedBackwardPart(Activation activation, const float* x, const float* dy, Index rows, Index width,
                       float* dx) {
  WithSlope(activation, [&](const auto& f) {
    const Floats d;
    // y = f(gate) · up: dgate = dy · up · f'(gate), dup = dy · f(gate).
    for (Index row = 0; row < rows; ++row) {
      const float *gate = x + row * 2 * width, *up = gate + width, *gradient = dy + row * width;
      float *dgate = dx + row * 2 * width, *dup = dgate + width;
      const Index done = ForVectors(width, [&](Index i) {
        const FloatVector g = hn::LoadU(d, gradient + i);
        const FloatVector up_value = hn::LoadU(d, up + i);
        FloatVector value, slope;
        f(hn::LoadU(d, gate + i), value, slope);
        hn::StoreU(hn::Mul(hn::Mul(g, up_value), slope), d, dgate + i);
        hn::StoreU(hn::Mul(g, value), d, dup + i);
      });
      if (done == width) continue;
      HWY_ALIGN float rest_gate[kMostLanes] = {}, rest_up[kMostLanes] = {}, rest_dy[kMostLanes] = {};
      std::copy(gate + done, gate + width, rest_gate);
      std::copy(up + done, up + width, rest_up);
      std::copy(gradient + done, gradient + width, rest_dy);
      const FloatVector g = hn::Load(d, rest_dy);
      FloatVector value, slope;
      f(hn::Load(d, rest_gate), value, slope);
      hn::Store(hn::Mul(hn::Mul(g, hn::Load(d, rest_up)), slope), d, rest_gate);
      hn::Store(hn::Mul(g, value), d, rest_up);
      std::copy_n(rest_gate, width - done, dgate + done);
      std::copy_n(rest_up, width - done, dup + done);
    }
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(ActivatePart);
HWY_EXPORT(ActivateBackwardPart);
HWY_EXPORT(GatedPart);
HWY_EXPORT(GatedBackwardPart);

namespace {

constexpr Index kPart = 8192;  // elements that are worth a task

template <typename Body>
void for_parts(Index count, Index part, const Body& body) {
  apply_forced_instruction_set();
  parallel_for((count + part - 1) / part,
               [&](Index p) { body(p * part, std::min(part, count - p * part)); });
}

Index rows_per_part(Index width) { return std::max<Index>(1, kPart / std::max<Index>(1, width)); }

}  // namespace

void activate(Activation activation, const float* x, Index count, float* y) {
  for_parts(count, kPart, [&](Index first, Index n) {
    HWY_DYNAMIC_DISPATCH(ActivatePart)(activation, x + first, n, y + first);
  });
}

void activate_backward(Activation activation, const float* x, const float* dy, Index count, float* dx) {
  for_parts(count, kPart, [&](Index first, Index n) {
    HWY_DYNAMIC_DISPATCH(ActivateBackwardPart)(activation, x + first, dy + first, n, dx + first);
  });
}

void activate_gated(Activation activation, const float* x, Index rows, Index width, float* y) {
  for_parts(rows, rows_per_part(width), [&](Index first, Index n) {
    HWY_DYNAMIC_DISPATCH(GatedPart)(activation, x + first * 2 * width, n, width, y + first * width);
  });
}

void activate_gated_backward(Activation activation, const float* x, const float* dy, Index rows,
                             Index width, float* dx) {
  for_parts(rows, rows_per_part(width), [&](Index first, Index n) {
    HWY_DYNAMIC_DISPATCH(GatedBackwardPart)
    (activation, x + first * 2 * width, dy + first * width, n, width, dx + first * 2 * width);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
