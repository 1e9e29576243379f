#include "kernels/adamw.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adamw.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

void AdamWRange(const AdamWStep& s, Index begin, Index end, bool decays) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const float keep = decays ? 1.0f - s.rate * s.decay : 1.0f;
  const float rate = s.rate / s.correction1, root = 1.0f / std::sqrt(s.correction2);
  const float new1 = 1.0f - s.beta1, new2 = 1.0f - s.beta2;
  const auto update = [&](FloatVector& p, FloatVector g, FloatVector& m, FloatVector& v) {
    g = hn::Mul(g, hn::Set(d, s.gradient_scale));
    m = hn::MulAdd(m, hn::Set(d, s.beta1), hn::Mul(g, hn::Set(d, new1)));
    v = hn::MulAdd(v, hn::Set(d, s.beta2), hn::Mul(hn::Mul(g, g), hn::Set(d, new2)));
    const FloatVector below = hn::MulAdd(hn::Sqrt(v), hn::Set(d, root), hn::Set(d, s.epsilon));
    const FloatVector step = hn::Div(hn::Mul(m, hn::Set(d, rate)), below);
    p = hn::MulSub(p, hn::Set(d, keep), step);
  };
  Index i = begin;
  for (; i + lanes <= end; i += lanes) {
    FloatVector p = hn::LoadU(d, s.parameters + i), m = hn::LoadU(d, s.first + i),
                v = hn::LoadU(d, s.second + i);
    update(p, hn::LoadU(d, s.gradients + i), m, v);
    hn::StoreU(p, d, s.parameters + i);
    hn::StoreU(m, d, s.first + i);
    hn::StoreU(v, d, s.second + i);
  }
  if (i == end) return;
  // The rest by vectors, too: an element's bits do not depend on where it stands.
  HWY_ALIGN float rest[4][HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(s.parameters + i, s.parameters + end, rest[0]);
  std::copy(s.gradients + i, s.gradients + end, rest[1]);
  std::copy(s.first + i, s.first + end, rest[2]);
  std::copy(s.second + i, s.second + end, rest[3]);
  FloatVector p = hn::Load(d, rest[0]), m = hn::Load(d, rest[2]), v = hn::Load(d, rest[3]);
  update(p, hn::Load(d, rest[1]), m, v);
  hn::Store(p, d, rest[0]);
  hn::Store(m, d, rest[2]);
  hn::Store(v, d, rest[3]);
  std::copy_n(rest[0], end - i, s.parameters + i);
  std::copy_n(rest[2], end - i, s.first + i);
  std::copy_n(rest[3], end - i, s.second + i);
}

double SquaresOfRange(const float* x, Index begin, Index end) {
  constexpr Index kBlock = 2048;
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  double total = 0;
  for (; begin < end; begin += kBlock) {
    const Index stop = std::min(end, begin + kBlock);
    FloatVector even = hn::Zero(d), odd = hn::Zero(d);
    Index i = begin;
    for (; i + 2 * lanes <= stop; i += 2 * lanes) {
      const FloatVector a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
      even = hn::MulAdd(a, a, even);
      odd = hn::MulAdd(b, b, odd);
    }
    float rest = 0;
    for (; i < stop; ++i) rest += x[i] * x[i];
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))) + rest);
  }
  return total;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(AdamWRange);
HWY_EXPORT(SquaresOfRange);

void adamw_step(const AdamWStep& step, const std::vector<ParameterRange>& ranges) {
  apply_forced_instruction_set();
  parallel_for(static_cast<Index>(ranges.size()), [&](Index i) {
    const ParameterRange& range = ranges[static_cast<std::size_t>(i)];
    HWY_DYNAMIC_DISPATCH(AdamWRange)(step, range.begin, range.end, range.decays);
  });
}

double sum_of_squares(const float* x, const std::vector<ParameterRange>& ranges) {
  apply_forced_instruction_set();
  std::vector<double> sums(ranges.size());
  parallel_for(static_cast<Index>(ranges.size()), [&](Index i) {
    const ParameterRange& range = ranges[static_cast<std::size_t>(i)];
    sums[static_cast<std::size_t>(i)] = HWY_DYNAMIC_DISPATCH(SquaresOfRange)(x, range.begin, range.end);
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
