// Are numbers finite? Include inside foreach_target.
#if defined(FOVEA_KERNELS_FINITE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_FINITE_INL_H_
#undef FOVEA_KERNELS_FINITE_INL_H_
#else
#define FOVEA_KERNELS_FINITE_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstdint>

#include <hwy/highway.h>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Of rows [rows, width] with a stride. As integers: without its sign, a float that is an infinity or a NaN
// is 0x7F800000 or more.
HWY_INLINE bool RowsAreFinite(const float* values, Index stride, Index rows, Index width) {
  constexpr std::int32_t kInfinityBits = 0x7F800000, kNoSign = 0x7FFFFFFF;
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto no_sign = hn::Set(di, kNoSign);
  const auto size = [&](const float* at)
                        HWY_ATTR { return hn::And(hn::BitCast(di, hn::LoadU(d, at)), no_sign); };
  auto largest = hn::Zero(di), second = largest;
  std::int32_t rest = 0;
  for (Index r = 0; r < rows; ++r, values += stride) {
    Index c = 0;
    for (; c + 2 * lanes <= width; c += 2 * lanes) {
      largest = hn::Max(largest, size(values + c));
      second = hn::Max(second, size(values + c + lanes));
    }
    if (c + lanes <= width) {
      largest = hn::Max(largest, size(values + c));
      c += lanes;
    }
    for (; c < width; ++c) rest = std::max(rest, std::bit_cast<std::int32_t>(values[c]) & kNoSign);
  }
  largest = hn::Max(largest, second);
  return rest < kInfinityBits && hn::AllTrue(di, hn::Lt(largest, hn::Set(di, kInfinityBits)));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_FINITE_INL_H_
