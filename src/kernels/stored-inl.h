// Numbers as memory stores them, float32, float16, bfloat16 or int8, widened to float32 in registers.
// Include inside foreach_target.
#if defined(FOVEA_KERNELS_STORED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STORED_INL_H_
#undef FOVEA_KERNELS_STORED_INL_H_
#else
#define FOVEA_KERNELS_STORED_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/half.h"
#include "fovea/shape.h"
#include "kernels/attention.h"
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

// `count` elements, fewer than lanes; the other lanes are 0.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadSome(D d, const T* from, Index count) {
  T some[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy_n(from, count, some);
  return LoadStored(d, some);
}

// The scales of the rows of `width` elements from an offset on: those of neighbouring rows stand side by
// side. Null: there are none.
inline const float* ScalesFrom(const StoredRows& stored, Index offset, Index width) {
  return stored.scales == nullptr ? nullptr : stored.scales + offset / std::max<Index>(1, width);
}

template <typename T>
HWY_INLINE void WidenRow(const T* HWY_RESTRICT from, Index width, float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + lanes <= width; c += lanes) hn::StoreU(LoadStored(d, from + c), d, to + c);
  for (; c < width; ++c) to[c] = widened(from[c]);
}

// to [rows, width] = rows of a matrix that begins at element `offset`, with the numbers `numbers` or, where
// that is null, from `first` on: exactly; of int8, rounded once after the product with its scale.
inline void WidenRows(const StoredRows& stored, Index offset, Index stride, Index first,
                      const Index* numbers, Index rows, Index width, float* HWY_RESTRICT to) {
  with_stored_type(stored.type, [&](const auto* type) {
    const auto* data = static_cast<decltype(type)>(stored.data);
    for (Index r = 0; r < rows; ++r, to += width) {
      const Index at = offset + (numbers == nullptr ? first + r : numbers[r]) * stride;
      WidenRow(data + at, width, to);
      const float* scale = ScalesFrom(stored, at, width);
      for (Index c = 0; c < width && scale != nullptr; ++c) to[c] *= *scale;
    }
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STORED_INL_H_
