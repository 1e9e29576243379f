// Dropout of a strip's weights by counter: the vector form of core/dropout.h. Include inside
// foreach_target.
#if defined(FOVEA_KERNELS_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_DROPOUT_INL_H_
#undef FOVEA_KERNELS_DROPOUT_INL_H_
#else
#define FOVEA_KERNELS_DROPOUT_INL_H_
#endif

#include <hwy/highway.h>

#include "core/dropout.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

class StripDropout {
 public:
  // `memory` holds 2 · W words, aligned to vectors.
  void Load(float p, std::uint64_t seed, Index head_index, const QueryStrip& strip, float* memory) {
    p_ = p;
    width_ = strip.width();
    first_ = reinterpret_cast<std::uint32_t*>(memory);
    second_ = first_ + width_;
    for (Index r = 0; r < width_; ++r) {
      const DropoutRow keys = dropout_row(seed, head_index, r < strip.rows() ? strip.row(r) : 0);
      first_[r] = keys.first;
      second_[r] = keys.second;
    }
  }

  // weights [keys, W]: dropped ones become 0, kept ones are scaled by 1 / (1 − p).
  void Apply(const KeyStep& keys, float* HWY_RESTRICT weights) const {
    const Floats d;
    const hn::RebindToUnsigned<Floats> du;
    const hn::RebindToSigned<Floats> di;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto m1 = hn::Set(du, kDropoutMultiplier1), m2 = hn::Set(du, kDropoutMultiplier2);
    const auto threshold = hn::Set(di, static_cast<std::int32_t>(dropout_threshold(p_)));
    const FloatVector kept_factor = hn::Set(d, 1.0f / (1.0f - p_));
    for (Index at = 0; at < width_; at += lanes) {
      const auto first = hn::Load(du, first_ + at), second = hn::Load(du, second_ + at);
      for (Index g = 0; g < keys.count; ++g) {
        auto x = hn::Add(hn::Set(du, static_cast<std::uint32_t>(keys.key(g)) * kDropoutStep), first);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
        x = hn::Xor(x, second);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
        x = hn::ShiftRight<8>(hn::Xor(x, hn::ShiftRight<16>(x)));
        const auto dropped = hn::RebindMask(d, hn::Lt(hn::BitCast(di, x), threshold));
        float* w = weights + g * width_ + at;
        hn::Store(hn::IfThenZeroElse(dropped, hn::Mul(hn::Load(d, w), kept_factor)), d, w);
      }
    }
  }

 private:
  float p_ = 0;
  Index width_ = 0;
  std::uint32_t *first_ = nullptr, *second_ = nullptr;  // [W] each
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_DROPOUT_INL_H_
