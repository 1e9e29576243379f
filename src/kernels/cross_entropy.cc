#include "kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cross_entropy.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

constexpr float kLowestLogit = -std::numeric_limits<float>::infinity();

// A row in whole vectors, and its last few logits padded with −inf: those are no class.
struct LogitRow {
  LogitRow(float* row, Index count, Index lanes) : x(row), whole(count - count % lanes) {
    std::fill_n(rest, lanes, kLowestLogit);
    std::copy(x + whole, x + count, rest);
  }
  float* x;
  Index whole;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
};

float Largest(const LogitRow& row) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector even = hn::Load(d, row.rest), odd = even;
  Index i = 0;
  for (; i + 2 * lanes <= row.whole; i += 2 * lanes) {
    even = hn::Max(even, hn::LoadU(d, row.x + i));
    odd = hn::Max(odd, hn::LoadU(d, row.x + i + lanes));
  }
  if (i < row.whole) even = hn::Max(even, hn::LoadU(d, row.x + i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
}

// x becomes exp(x − max); their sum. Sums of 64 vectors begin at zero: a large vocabulary costs no digits.
double ExponentiateAndSum(LogitRow& row, float max) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), block = 64 * lanes;
  const FloatVector maxima = hn::Set(d, max), log2e = hn::Set(d, 1.44269504f);
  const auto exponential = [&](float* at) {
    const FloatVector e = Exp2NonPositive(d, hn::Mul(hn::Sub(hn::LoadU(d, at), maxima), log2e));
    hn::StoreU(e, d, at);
    return e;
  };
  double total = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, exponential(row.rest))));
  for (Index begin = 0; begin < row.whole; begin += block) {
    const Index end = std::min(row.whole, begin + block);
    FloatVector even = hn::Zero(d), odd = hn::Zero(d);
    Index i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      even = hn::Add(even, exponential(row.x + i));
      odd = hn::Add(odd, exponential(row.x + i + lanes));
    }
    if (i < end) even = hn::Add(even, exponential(row.x + i));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))));
  }
  return total;
}

void CrossEntropyRow(const CrossEntropyProblem& p, Index index) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), classes = p.classes;
  float* x = p.logits + index * p.stride;
  const Index target = p.targets[index];
  LogitRow row(x, classes, lanes);
  const float max = Largest(row), at_target = x[target];
  double sum_of_logits = 0;
  for (Index i = 0; p.smoothing > 0 && i < classes; ++i) sum_of_logits += static_cast<double>(x[i]);
  const double sum = ExponentiateAndSum(row, max);
  const double share = static_cast<double>(p.smoothing) / static_cast<double>(classes);
  p.losses[index] = std::log(sum) + static_cast<double>(max) -
                    (1 - static_cast<double>(p.smoothing)) * static_cast<double>(at_target);
  if (p.smoothing > 0) p.losses[index] -= share * sum_of_logits;
  p.correct[index] = at_target >= max;
  if (!p.gradient) return;

  const auto factor = static_cast<float>(static_cast<double>(p.gradient_scale) / sum);
  const auto taken = static_cast<float>(static_cast<double>(p.gradient_scale) * share);
  const FloatVector factors = hn::Set(d, factor), shares = hn::Set(d, taken);
  for (Index i = 0; i < row.whole; i += lanes) {
    hn::StoreU(hn::MulSub(hn::LoadU(d, x + i), factors, shares), d, x + i);
  }
  for (Index i = row.whole; i < classes; ++i) x[i] = row.rest[i - row.whole] * factor - taken;
  x[target] -= p.gradient_scale * (1 - p.smoothing);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(CrossEntropyRow);

void cross_entropy(const CrossEntropyProblem& problem) {
  apply_forced_instruction_set();
  const Index group = std::max<Index>(1, 8192 / std::max<Index>(1, problem.classes));
  parallel_for((problem.rows + group - 1) / group, [&](Index g) {
    for (Index row = g * group; row < std::min(problem.rows, (g + 1) * group); ++row) {
      HWY_DYNAMIC_DISPATCH(CrossEntropyRow)(problem, row);
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
