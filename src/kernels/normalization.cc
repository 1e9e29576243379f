#include "kernels/normalization.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// Σ f(x) over the row: vectors in two sums, the rest one by one.
template <class OfVector, class OfNumber>
HWY_INLINE float SumOf(const float* HWY_RESTRICT x, Index width, const OfVector& of_vector,
                       const OfNumber& of_number) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector even = hn::Zero(d), odd = hn::Zero(d);
  Index i = 0;
  for (; i + 2 * lanes <= width; i += 2 * lanes) {
    even = of_vector(even, hn::LoadU(d, x + i));
    odd = of_vector(odd, hn::LoadU(d, x + i + lanes));
  }
  float rest = 0;
  for (; i < width; ++i) rest += of_number(x[i]);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))) + rest;
}

// False: the row's sums are no float32, nothing is written.
bool LayerNormRow(const float* x, Index width, const float* HWY_RESTRICT weight,
                  const float* HWY_RESTRICT bias, float epsilon, float* out) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const float count = static_cast<float>(width);
  const float mean = SumOf(
                         x, width, [](FloatVector sum, FloatVector v) { return hn::Add(sum, v); },
                         [](float v) { return v; }) /
                     count;
  const FloatVector means = hn::Set(d, mean);
  const float variance = SumOf(
                             x, width,
                             [&](FloatVector sum, FloatVector v) {
                               const FloatVector difference = hn::Sub(v, means);
                               return hn::MulAdd(difference, difference, sum);
                             },
                             [mean](float v) { return (v - mean) * (v - mean); }) /
                         count;
  if (!std::isfinite(variance)) return false;
  const float inverse = 1.0f / std::sqrt(variance + epsilon);
  const FloatVector inverses = hn::Set(d, inverse);
  Index i = 0;
  for (; i + lanes <= width; i += lanes) {
    const FloatVector normal = hn::Mul(hn::Sub(hn::LoadU(d, x + i), means), inverses);
    hn::StoreU(hn::MulAdd(normal, hn::LoadU(d, weight + i), hn::LoadU(d, bias + i)), d, out + i);
  }
  for (; i < width; ++i) out[i] = (x[i] - mean) * inverse * weight[i] + bias[i];
  return true;
}

bool RmsNormRow(const float* x, Index width, const float* HWY_RESTRICT weight, float epsilon, float* out) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const float squares = SumOf(
      x, width, [](FloatVector sum, FloatVector v) { return hn::MulAdd(v, v, sum); },
      [](float v) { return v * v; });
  if (!std::isfinite(squares)) return false;
  const float inverse = 1.0f / std::sqrt(squares / static_cast<float>(width) + epsilon);
  Index i = 0;
  for (; i + lanes <= width; i += lanes) {
    const FloatVector normal = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse));
    hn::StoreU(hn::Mul(normal, hn::LoadU(d, weight + i)), d, out + i);
  }
  for (; i < width; ++i) out[i] = x[i] * inverse * weight[i];
  return true;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(LayerNormRow);
HWY_EXPORT(RmsNormRow);

namespace {

// Squares of numbers from 1.8e19 on are no float32, sums of larger ones neither; in double both are finite.
// What is not a number, or infinite, stays so. `bias` null: the root-mean-square norm.
void norm_row_in_double(const float* x, Index width, const float* weight, const float* bias, float epsilon,
                        float* out) {
  const auto count = static_cast<double>(width);
  const double mean = bias == nullptr ? 0.0 : std::accumulate(x, x + width, 0.0) / count;
  const auto difference = [&](Index i) { return static_cast<double>(x[i]) - mean; };
  double squares = 0;
  for (Index i = 0; i < width; ++i) squares += difference(i) * difference(i);
  const double inverse = 1 / std::sqrt(squares / count + static_cast<double>(epsilon));
  for (Index i = 0; i < width; ++i) {
    const double normal = difference(i) * inverse * static_cast<double>(weight[i]);
    out[i] = static_cast<float>(bias == nullptr ? normal : normal + static_cast<double>(bias[i]));
  }
}

// body(row) for all rows, in groups: a thread should get at least some thousand elements.
template <typename Body>
void for_each_row(Index rows, Index width, const Body& body) {
  apply_forced_instruction_set();
  const Index group = std::max<Index>(1, 8192 / std::max<Index>(1, width));
  parallel_for((rows + group - 1) / group, [&](Index g) {
    for (Index row = g * group; row < std::min(rows, (g + 1) * group); ++row) body(row);
  });
}

}  // namespace

void layer_norm(const float* x, Index rows, Index width, const float* weight, const float* bias,
                float epsilon, float* out) {
  for_each_row(rows, width, [&](Index row) {
    const float* from = x + row * width;
    float* to = out + row * width;
    if (HWY_DYNAMIC_DISPATCH(LayerNormRow)(from, width, weight, bias, epsilon, to)) return;
    norm_row_in_double(from, width, weight, bias, epsilon, to);
  });
}

void rms_norm(const float* x, Index rows, Index width, const float* weight, float epsilon, float* out) {
  for_each_row(rows, width, [&](Index row) {
    const float* from = x + row * width;
    float* to = out + row * width;
    if (HWY_DYNAMIC_DISPATCH(RmsNormRow)(from, width, weight, epsilon, to)) return;
    norm_row_in_double(from, width, weight, nullptr, epsilon, to);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
