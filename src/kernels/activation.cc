#include "kernels/activation.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// x = f(x). The rest that fills no vector goes through a buffer, so that the same
// instructions serve every element.
template <class Function>
HWY_INLINE void Transform(float* HWY_RESTRICT x, Index elements, const Function& f) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, x + i);
  if (i == elements) return;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(x + i, x + elements, rest);
  hn::Store(f(hn::Load(d, rest)), d, rest);
  std::copy(rest, rest + (elements - i), x + i);
}

// x = f(x, y), likewise.
template <class Function>
HWY_INLINE void Transform(float* HWY_RESTRICT x, const float* HWY_RESTRICT y, Index elements,
                          const Function& f) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) {
    hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  }
  if (i == elements) return;
  HWY_ALIGN float y_rest[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(y + i, y + elements, y_rest);
  Transform(x + i, elements - i, [&](FloatVector rest) { return f(rest, hn::Load(d, y_rest)); });
}

void ActivatePiece(float* x, Index elements, Activation activation) {
  WithActivation(activation, [&](const auto& function) { Transform(x, elements, function); });
}

void GatePiece(float* x, const float* gate, Index elements, Activation activation) {
  WithActivation(activation, [&](const auto& function) {
    Transform(x, gate, elements, [&](FloatVector a, FloatVector b) { return hn::Mul(function(a), b); });
  });
}

void AddPiece(float* x, const float* y, Index elements) {
  Transform(x, y, elements, [](FloatVector a, FloatVector b) { return hn::Add(a, b); });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(ActivatePiece);
HWY_EXPORT(GatePiece);
HWY_EXPORT(AddPiece);

namespace {

// Pieces of a size that is worth a thread's while: some microseconds.
template <typename Body>
void in_pieces(Index elements, const Body& body) {
  constexpr Index kPiece = 16384;
  apply_forced_instruction_set();
  parallel_for((elements + kPiece - 1) / kPiece, [&](Index piece) {
    const Index begin = piece * kPiece;
    body(begin, std::min(kPiece, elements - begin));
  });
}

}  // namespace

void activate(float* x, Index elements, Activation activation) {
  if (activation == Activation::none) return;
  in_pieces(elements, [&](Index begin, Index count) {
    HWY_DYNAMIC_DISPATCH(ActivatePiece)(x + begin, count, activation);
  });
}

void activate_gated(float* x, const float* gate, Index elements, Activation activation) {
  in_pieces(elements, [&](Index begin, Index count) {
    HWY_DYNAMIC_DISPATCH(GatePiece)(x + begin, gate + begin, count, activation);
  });
}

void add(float* x, const float* y, Index elements) {
  in_pieces(elements, [&](Index begin, Index count) {
    HWY_DYNAMIC_DISPATCH(AddPiece)(x + begin, y + begin, count);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
