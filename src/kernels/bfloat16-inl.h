// Float32 rounded to bfloat16. Include inside foreach_target.
#if defined(FOVEA_KERNELS_BFLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_BFLOAT16_INL_H_
#undef FOVEA_KERNELS_BFLOAT16_INL_H_
#else
#define FOVEA_KERNELS_BFLOAT16_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Divides the 32 rows and columns of tiles, however long vectors are.
using TileFloats = hn::CappedTag<float, 16>;

// The bits of a float32 whose lower half is 0: to nearest, ties to even, with the bits of
// float_to_bfloat16 (core/half.h). By integers, because Highway's own conversion cuts off.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> RoundToBfloat16(D /*tag*/, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd);
  // Rounding could carry a NaN into infinity or zero.
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000u));
  const auto chosen = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(x)), quiet, rounded);
  return hn::And(chosen, hn::Set(du, 0xFFFF0000u));
}

// Two of those in one lane: the first in the lower half.
template <class VU>
HWY_INLINE VU PairOfBfloat16(VU first, VU second) {
  return hn::Or(hn::ShiftRight<16>(first), second);
}

// Float32 numbers in memory, rounded to bfloat16; whole vectors of TileFloats. False if one of them is not
// finite then.
HWY_INLINE bool RoundRow(const float* HWY_RESTRICT from, Index count, std::uint16_t* HWY_RESTRICT to) {
  const TileFloats d;
  const hn::Rebind<std::uint16_t, TileFloats> d16;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  auto nothing = hn::Zero(d);  // the sum of x · 0: NaN as soon as one x is not finite
  for (Index i = 0; i < count; i += lanes) {
    const auto bits = RoundToBfloat16(d, hn::LoadU(d, from + i));
    nothing = hn::MulAdd(hn::BitCast(d, bits), hn::Zero(d), nothing);
    hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(bits)), d16, to + i);
  }
  return hn::AllFalse(d, hn::IsNaN(nothing));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_BFLOAT16_INL_H_
