#include "kernels/normalization_backward.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "fovea/tensor.h"
#include "kernels/column_sums.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// Two sums along a row in one pass: f(i) gives the terms of both for one number or one vector from i on.
template <class OfVector, class OfNumber>
HWY_INLINE void TwoSums(Index width, const OfVector& of_vector, const OfNumber& of_number, float& first,
                        float& second) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector a = hn::Zero(d), b = hn::Zero(d);
  Index i = 0;
  for (; i + lanes <= width; i += lanes) of_vector(i, a, b);
  float rest_a = 0, rest_b = 0;
  for (; i < width; ++i) of_number(i, rest_a, rest_b);
  first = hn::GetLane(hn::SumOfLanes(d, a)) + rest_a;
  second = hn::GetLane(hn::SumOfLanes(d, b)) + rest_b;
}

// The same as below, for rows whose squares are no float32.
template <bool kCentred>
HWY_NOINLINE void NormBackwardRowInDouble(const float* x, const float* dy, const NormBackwardProblem& p,
                                          float* dx, float* dweight, float* dbias) {
  const auto count = static_cast<double>(p.width);
  const double mean = kCentred ? std::accumulate(x, x + p.width, 0.0) / count : 0.0;
  double squares = 0, mean_g = 0, mean_gn = 0;
  const auto difference = [&](Index i) { return static_cast<double>(x[i]) - mean; };
  for (Index i = 0; i < p.width; ++i) squares += difference(i) * difference(i);
  const double inverse = 1 / std::sqrt(squares / count + static_cast<double>(p.epsilon));
  const auto g = [&](Index i) { return static_cast<double>(dy[i]) * static_cast<double>(p.weight[i]); };
  for (Index i = 0; i < p.width; ++i) {
    if (kCentred) mean_g += g(i) / count;
    mean_gn += g(i) * difference(i) * inverse / count;
  }
  for (Index i = 0; i < p.width; ++i) {
    const double normal = difference(i) * inverse, gradient = (g(i) - mean_g - normal * mean_gn) * inverse;
    dweight[i] += static_cast<float>(static_cast<double>(dy[i]) * normal);
    if (kCentred) dbias[i] += dy[i];
    dx[i] = (p.add ? dx[i] : 0.0f) + static_cast<float>(gradient);  // last: it may stand where dy was
  }
}

// With n = (x − mean) · inverse, the normalised row, and g = dy · weight:
//   dx = inverse · (g − mean(g) − n · mean(g · n)),   dweight += dy · n,   dbias += dy.
// The root-mean-square norm has no mean to take away: mean = 0 and no term mean(g).
template <bool kCentred>
void NormBackwardRow(const float* x, const float* dy, const NormBackwardProblem& p, float* dx,
                     float* HWY_RESTRICT dweight, float* HWY_RESTRICT dbias) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), width = p.width;
  const float* HWY_RESTRICT weight = p.weight;
  const float count = static_cast<float>(width);

  float mean = 0, unused = 0, squares = 0;
  if (kCentred) {
    TwoSums(
        width, [&](Index i, FloatVector& a, FloatVector&) { a = hn::Add(a, hn::LoadU(d, x + i)); },
        [&](Index i, float& a, float&) { a += x[i]; }, mean, unused);
    mean /= count;
  }
  const FloatVector means = hn::Set(d, mean);
  TwoSums(
      width,
      [&](Index i, FloatVector& a, FloatVector&) {
        const FloatVector difference = hn::Sub(hn::LoadU(d, x + i), means);
        a = hn::MulAdd(difference, difference, a);
      },
      [&](Index i, float& a, float&) { a += (x[i] - mean) * (x[i] - mean); }, squares, unused);
  if (!std::isfinite(squares)) return NormBackwardRowInDouble<kCentred>(x, dy, p, dx, dweight, dbias);
  const float inverse = 1.0f / std::sqrt(squares / count + p.epsilon);
  const FloatVector inverses = hn::Set(d, inverse);

  float mean_g = 0, mean_gn = 0;
  TwoSums(
      width,
      [&](Index i, FloatVector& a, FloatVector& b) {
        const FloatVector g = hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, weight + i));
        if (kCentred) a = hn::Add(a, g);
        b = hn::MulAdd(g, hn::Mul(hn::Sub(hn::LoadU(d, x + i), means), inverses), b);
      },
      [&](Index i, float& a, float& b) {
        const float g = dy[i] * weight[i];
        if (kCentred) a += g;
        b += g * ((x[i] - mean) * inverse);
      },
      mean_g, mean_gn);
  mean_g /= count;
  mean_gn /= count;

  const FloatVector g_means = hn::Set(d, mean_g), gn_means = hn::Set(d, mean_gn);
  Index i = 0;
  for (; i + lanes <= width; i += lanes) {
    const FloatVector gradient = hn::LoadU(d, dy + i);
    const FloatVector normal = hn::Mul(hn::Sub(hn::LoadU(d, x + i), means), inverses);
    const FloatVector g = hn::Mul(gradient, hn::LoadU(d, weight + i));
    hn::StoreU(hn::MulAdd(gradient, normal, hn::LoadU(d, dweight + i)), d, dweight + i);
    if (kCentred) hn::StoreU(hn::Add(hn::LoadU(d, dbias + i), gradient), d, dbias + i);
    const FloatVector inner = hn::NegMulAdd(normal, gn_means, hn::Sub(g, g_means));
    const FloatVector before = p.add ? hn::LoadU(d, dx + i) : hn::Zero(d);
    hn::StoreU(hn::MulAdd(inner, inverses, before), d, dx + i);
  }
  for (; i < width; ++i) {
    const float gradient = dy[i], normal = (x[i] - mean) * inverse;
    dweight[i] += gradient * normal;
    if (kCentred) dbias[i] += gradient;
    const float inner = (gradient * weight[i] - mean_g) - normal * mean_gn;
    dx[i] = (p.add ? dx[i] : 0.0f) + inner * inverse;
  }
}

// Rows [first, end); sums [2, width] of their own.
void LayerNormBackwardRows(const NormBackwardProblem& p, Index first, Index end, float* sums) {
  std::fill_n(sums, 2 * p.width, 0.0f);
  for (Index row = first; row < end; ++row) {
    const Index at = row * p.width;
    NormBackwardRow<true>(p.x + at, p.dy + at, p, p.dx + at, sums, sums + p.width);
  }
}

void RmsNormBackwardRows(const NormBackwardProblem& p, Index first, Index end, float* sums) {
  std::fill_n(sums, p.width, 0.0f);
  for (Index row = first; row < end; ++row) {
    const Index at = row * p.width;
    NormBackwardRow<false>(p.x + at, p.dy + at, p, p.dx + at, sums, nullptr);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(LayerNormBackwardRows);
HWY_EXPORT(RmsNormBackwardRows);

namespace {

constexpr Index kNormRows = 64;  // in a block: it decides where sums start, and so the bits

// run(first row, end, sums of its own), block by block; then the blocks' sums, `kinds` of [width] each.
template <typename Run>
Tensor norm_blocks(const NormBackwardProblem& p, Index kinds, const Run& run) {
  apply_forced_instruction_set();
  const Index blocks = (p.rows + kNormRows - 1) / kNormRows;
  Tensor sums = Tensor::uninitialized({blocks, kinds, p.width});
  parallel_for(blocks, [&](Index block) {
    const Index first = block * kNormRows;
    run(first, std::min(p.rows, first + kNormRows), sums.data() + block * kinds * p.width);
  });
  return sums;
}

}  // namespace

void layer_norm_backward(const NormBackwardProblem& p) {
  const Tensor sums = norm_blocks(p, 2, [&](Index first, Index end, float* own) {
    HWY_DYNAMIC_DISPATCH(LayerNormBackwardRows)(p, first, end, own);
  });
  add_partial_sums(sums.data(), sums.shape()[0], p.width, 2 * p.width, p.dweight);
  add_partial_sums(sums.data() + p.width, sums.shape()[0], p.width, 2 * p.width, p.dbias);
}

void rms_norm_backward(const NormBackwardProblem& p) {
  const Tensor sums = norm_blocks(p, 1, [&](Index first, Index end, float* own) {
    HWY_DYNAMIC_DISPATCH(RmsNormBackwardRows)(p, first, end, own);
  });
  add_partial_sums(sums.data(), sums.shape()[0], p.width, p.width, p.dweight);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
