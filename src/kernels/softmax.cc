#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/at.h"
#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// exp(x − max), 0 for −inf. Exp clamps its argument: NaN and very small ones are put right by hand.
HWY_INLINE FloatVector ShiftedExp(Floats d, FloatVector x, FloatVector max) {
  const FloatVector shifted = hn::Sub(x, max);
  const FloatVector exp =
      hn::IfThenElse(hn::Lt(shifted, hn::Set(d, -87.3f)), hn::Zero(d), hn::Exp(d, shifted));
  return hn::IfThenElse(hn::IsNaN(shifted), shifted, exp);
}

// A maximum of −inf (nothing to see) is replaced by 0: −inf − −inf would be NaN.
float FiniteMaximum(float max) { return max == kLowest ? 0.0f : max; }

// Vectors over the row, its rest lane by lane through a buffer padded with −inf.
void SoftmaxRow(float* x, Index length) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index whole = length - length % lanes;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
  std::fill_n(rest, lanes, kLowest);
  std::copy(x + whole, x + length, rest);

  FloatVector maximum = hn::Load(d, rest);
  for (Index i = 0; i < whole; i += lanes) maximum = hn::Max(maximum, hn::LoadU(d, x + i));
  const FloatVector max = hn::Set(d, FiniteMaximum(hn::GetLane(hn::MaxOfLanes(d, maximum))));

  FloatVector sum = ShiftedExp(d, hn::Load(d, rest), max);
  hn::Store(sum, d, rest);
  for (Index i = 0; i < whole; i += lanes) {
    const FloatVector e = ShiftedExp(d, hn::LoadU(d, x + i), max);
    hn::StoreU(e, d, x + i);
    sum = hn::Add(sum, e);
  }
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const float inverse = total == 0 ? 0.0f : 1.0f / total;
  for (Index i = 0; i < whole; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse)), d, x + i);
  }
  for (Index i = whole; i < length; ++i) x[i] = rest[i - whole] * inverse;
}

// Index is signed, sizes of std are not.

// x [length, inner]: each column on its own, all columns side by side.
void SoftmaxColumns(float* x, Index length, Index inner) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  std::vector<float> max(static_cast<std::size_t>(inner), kLowest),
      sum(static_cast<std::size_t>(inner), 0.0f);
  for (Index i = 0; i < length; ++i) {
    for (Index c = 0; c < inner; ++c) max[at(c)] = std::max(max[at(c)], x[i * inner + c]);
  }
  for (float& value : max) value = FiniteMaximum(value);
  for (Index i = 0; i < length; ++i) {
    float* row = x + i * inner;
    Index c = 0;
    for (; c + lanes <= inner; c += lanes) {
      const FloatVector e = ShiftedExp(d, hn::LoadU(d, row + c), hn::LoadU(d, &max[at(c)]));
      hn::StoreU(e, d, row + c);
      hn::StoreU(hn::Add(hn::LoadU(d, &sum[at(c)]), e), d, &sum[at(c)]);
    }
    for (; c < inner; ++c) {
      row[c] = hn::GetLane(ShiftedExp(d, hn::Set(d, row[c]), hn::Set(d, max[at(c)])));
      sum[at(c)] += row[c];
    }
  }
  for (float& value : sum) value = value == 0 ? 0.0f : 1.0f / value;
  for (Index i = 0; i < length; ++i) {
    for (Index c = 0; c < inner; ++c) x[i * inner + c] *= sum[at(c)];
  }
}

void SoftmaxBlock(float* x, Index length, Index inner) {
  if (inner == 1) {
    SoftmaxRow(x, length);
  } else {
    SoftmaxColumns(x, length, inner);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(SoftmaxBlock);

void softmax_rows(float* x, Index outer, Index length, Index inner) {
  apply_forced_instruction_set();
  if (length == 0 || inner == 0) return;
  // Short rows in groups: a thread should get at least some thousand elements.
  const Index group = std::max<Index>(1, 8192 / (length * inner));
  parallel_for((outer + group - 1) / group, [&](Index g) {
    for (Index i = g * group; i < std::min(outer, (g + 1) * group); ++i) {
      HWY_DYNAMIC_DISPATCH(SoftmaxBlock)(x + i * length * inner, length, inner);
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
