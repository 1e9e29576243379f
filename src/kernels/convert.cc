#include "kernels/convert.h"

#include "core/half.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void HalfToFloat(const std::uint16_t* HWY_RESTRICT from, Index elements, float* HWY_RESTRICT to) {
  const hn::ScalableTag<std::uint32_t> du;
  const hn::RebindToFloat<decltype(du)> df;
  const hn::Rebind<std::uint16_t, decltype(du)> d16;
  const Index lanes = static_cast<Index>(hn::Lanes(du));
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto bits = hn::PromoteTo(du, hn::LoadU(d16, from + i));
    hn::StoreU(hn::BitCast(df, WidenHalfBits(du, bits)), df, to + i);
  }
  for (; i < elements; ++i) to[i] = half_to_float(from[i]);
}

void Bfloat16ToFloat(const std::uint16_t* HWY_RESTRICT from, Index elements, float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto* stored = reinterpret_cast<const StoredBfloat16*>(from);
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) hn::StoreU(LoadStored(d, stored + i), d, to + i);
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
