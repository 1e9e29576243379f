#include "kernels/convert.h"

#include "core/half.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;

// By integers, not by the processor's own conversion: that one makes a signalling NaN quiet, and is not
// everywhere.
void HalfToFloat(const std::uint16_t* HWY_RESTRICT from, Index elements, float* HWY_RESTRICT to) {
  const Words du;
  const hn::RebindToFloat<Words> df;
  const hn::Rebind<std::uint16_t, Words> d16;
  const Index lanes = static_cast<Index>(hn::Lanes(du));
  const auto magnitude = hn::Set(du, 0x7fff), infinity = hn::Set(du, 0x7c00);
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto bits = hn::PromoteTo(du, hn::LoadU(d16, from + i));
    const auto value = hn::And(bits, magnitude);
    const auto shifted = hn::ShiftLeft<13>(value);
    // The exponent's offset differs by 112; the product also brings subnormals into place.
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(df, shifted), hn::Set(df, 0x1p112f)));
    const auto special = hn::Or(shifted, hn::Set(du, 0x7f800000));
    const hn::RebindToSigned<Words> di;
    const auto is_special =
        hn::Gt(hn::BitCast(di, value), hn::BitCast(di, hn::Sub(infinity, hn::Set(du, 1))));
    const auto chosen = hn::IfThenElse(hn::RebindMask(du, is_special), special, scaled);
    const auto sign = hn::ShiftLeft<16>(hn::AndNot(magnitude, bits));
    hn::StoreU(hn::BitCast(df, hn::Or(chosen, sign)), df, to + i);
  }
  for (; i < elements; ++i) to[i] = half_to_float(from[i]);
}

void Bfloat16ToFloat(const std::uint16_t* HWY_RESTRICT from, Index elements, float* HWY_RESTRICT to) {
  const Words du;
  const hn::RebindToFloat<Words> df;
  const hn::Rebind<std::uint16_t, Words> d16;
  const Index lanes = static_cast<Index>(hn::Lanes(du));
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, from + i)));
    hn::StoreU(hn::BitCast(df, bits), df, to + i);
  }
  for (; i < elements; ++i) to[i] = bfloat16_to_float(from[i]);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(HalfToFloat);
HWY_EXPORT(Bfloat16ToFloat);

void float16_to_float32(const std::uint16_t* from, Index elements, float* to) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(HalfToFloat)(from, elements, to);
}

void bfloat16_to_float32(const std::uint16_t* from, Index elements, float* to) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(Bfloat16ToFloat)(from, elements, to);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
