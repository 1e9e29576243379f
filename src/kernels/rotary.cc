#include "kernels/rotary.h"

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotary.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void RotateToken(float* x, Index heads, Index head_stride, Index width, const float* HWY_RESTRICT cosines,
                 const float* HWY_RESTRICT sines) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index half = width / 2;
  for (Index h = 0; h < heads; ++h) {
    float* HWY_RESTRICT first = x + h * head_stride;
    float* HWY_RESTRICT second = first + half;
    Index i = 0;
    for (; i + lanes <= half; i += lanes) {
      const auto a = hn::LoadU(d, first + i), b = hn::LoadU(d, second + i);
      const auto c = hn::LoadU(d, cosines + i), s = hn::LoadU(d, sines + i);
      hn::StoreU(hn::NegMulAdd(b, s, hn::Mul(a, c)), d, first + i);
      hn::StoreU(hn::MulAdd(a, s, hn::Mul(b, c)), d, second + i);
    }
    for (; i < half; ++i) {
      const float a = first[i], b = second[i];
      first[i] = a * cosines[i] - b * sines[i];
      second[i] = b * cosines[i] + a * sines[i];
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RotateToken);

void rotate_token(float* x, Index heads, Index head_stride, Index width, const float* cosines,
                  const float* sines) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(RotateToken)(x, heads, head_stride, width, cosines, sines);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
