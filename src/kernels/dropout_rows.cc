#include "kernels/dropout_rows.h"

#include <algorithm>

#include "core/dropout.h"
#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout_rows.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// y = x, or residual + x, of `count` numbers.
void AddResidual(const float* x, const float* residual, Index count, float* y) {
  if (residual == nullptr) {
    if (y != x) std::copy_n(x, count, y);
    return;
  }
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, residual + i), hn::LoadU(d, x + i)), d, y + i);
  }
  for (; i < count; ++i) y[i] = residual[i] + x[i];
}

void DropRow(const float* x, const float* residual, Index width, float p, DropoutRow keys, float* y) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto m1 = hn::Set(du, kDropoutMultiplier1), m2 = hn::Set(du, kDropoutMultiplier2);
  const auto step = hn::Set(du, kDropoutStep), first = hn::Set(du, keys.first);
  const auto second = hn::Set(du, keys.second);
  const std::uint32_t limit = dropout_threshold(p);
  const auto threshold = hn::Set(di, static_cast<std::int32_t>(limit));
  const float kept = 1.0f / (1.0f - p);
  Index i = 0;
  for (; i + lanes <= width; i += lanes) {
    auto bits = hn::Add(hn::Mul(hn::Iota(du, static_cast<std::uint32_t>(i)), step), first);
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<16>(bits)), m1);
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<15>(bits)), m2);
    bits = hn::Xor(bits, second);
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<16>(bits)), m1);
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<15>(bits)), m2);
    bits = hn::ShiftRight<8>(hn::Xor(bits, hn::ShiftRight<16>(bits)));
    const auto dropped = hn::RebindMask(d, hn::Lt(hn::BitCast(di, bits), threshold));
    auto value = hn::IfThenZeroElse(dropped, hn::Mul(hn::LoadU(d, x + i), hn::Set(d, kept)));
    if (residual != nullptr) value = hn::Add(hn::LoadU(d, residual + i), value);
    hn::StoreU(value, d, y + i);
  }
  for (; i < width; ++i) {
    const float value = dropout_bits(keys, i) < limit ? 0.0f : x[i] * kept;
    y[i] = residual == nullptr ? value : residual[i] + value;
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(AddResidual);
HWY_EXPORT(DropRow);

void dropout_rows(const float* x, const float* residual, Index rows, Index width, float p,
                  std::uint64_t seed, float* y) {
  apply_forced_instruction_set();
  const Index group = std::max<Index>(1, 16384 / std::max<Index>(1, width));
  parallel_for((rows + group - 1) / group, [&](Index g) {
    const Index begin = g * group, end = std::min(rows, begin + group), at = begin * width;
    if (p == 0) {
      const float* from = residual == nullptr ? nullptr : residual + at;
      return HWY_DYNAMIC_DISPATCH(AddResidual)(x + at, from, (end - begin) * width, y + at);
    }
    for (Index row = begin; row < end; ++row) {
      const Index first = row * width;
      HWY_DYNAMIC_DISPATCH(DropRow)
      (x + first, residual == nullptr ? nullptr : residual + first, width, p, dropout_row(seed, 0, row),
       y + first);
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
