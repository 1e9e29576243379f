// Numbers as memory stores them, float32, float16, bfloat16 or int8, widened to float32 in registers.
// Include inside foreach_target.
#if defined(FOVEA_KERNELS_STORED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STORED_INL_H_
#undef FOVEA_KERNELS_STORED_INL_H_
#else
#define FOVEA_KERNELS_STORED_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "core/half.h"
#include "fovea/shape.h"
#include "kernels/stored.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The bits of float32 from those of float16, by integers: Highway's own conversion makes a signalling NaN
// quiet, and where the processor has none it takes infinity for 65,536.
template <class DU, class V = hn::Vec<DU>>
HWY_INLINE V WidenHalfBits(DU du, V bits) {
  const hn::RebindToFloat<DU> df;
  const hn::RebindToSigned<DU> di;
  const V magnitude = hn::Set(du, 0x7fff);
  const V value = hn::And(bits, magnitude);
  const V shifted = hn::ShiftLeft<13>(value);
  // The exponent's offset differs by 112; the product also brings subnormals into place.
  const V scaled = hn::BitCast(du, hn::Mul(hn::BitCast(df, shifted), hn::Set(df, 0x1p112f)));
  const V special = hn::Or(shifted, hn::Set(du, 0x7f800000));
  const auto is_special = hn::Gt(hn::BitCast(di, value), hn::Set(di, 0x7bff));
  const V chosen = hn::IfThenElse(hn::RebindMask(du, is_special), special, scaled);
  return hn::Or(chosen, hn::ShiftLeft<16>(hn::AndNot(magnitude, bits)));
}

// As many elements as a vector of floats has lanes. No alignment needed.
template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const StoredBfloat16* from) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint16_t, D> d16;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const StoredFloat16* from) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  // One instruction; that it makes a signalling NaN quiet does not matter before arithmetic.
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint16_t, D> d16;
  const auto bits = hn::PromoteTo(du, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from)));
  return hn::BitCast(d, WidenHalfBits(du, bits));
#endif
}

template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const std::int8_t* from) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<std::int8_t, D> d8;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, from)));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STORED_INL_H_
