// Loops over a tile of weights [keys, W], W = NV vectors of queries: what the statistics add up from it.
// Include inside foreach_target.
#if defined(FOVEA_KERNELS_STATISTICS_MEASURES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STATISTICS_MEASURES_INL_H_
#undef FOVEA_KERNELS_STATISTICS_MEASURES_INL_H_
#else
#define FOVEA_KERNELS_STATISTICS_MEASURES_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/exp2-inl.h"
#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// The vectors of row `from` of the tile; those past NV repeat the first and are not used.
#define FOVEA_LOAD_ROW(x, from)                                         \
  const FloatVector x##0 = hn::Load(d, from);                           \
  const FloatVector x##1 = NV > 1 ? hn::Load(d, (from) + lanes) : x##0; \
  const FloatVector x##2 = NV > 2 ? hn::Load(d, (from) + 2 * lanes) : x##0;

// A row that has seen nothing yet has maximum −inf; taking 0 instead avoids −inf − −inf.
HWY_INLINE FloatVector MaximumOrZero(Floats d, FloatVector max) {
  return hn::IfThenElse(hn::Eq(max, hn::Set(d, -std::numeric_limits<float>::infinity())), hn::Zero(d), max);
}

// x, but 0 where 2^x is 0: there Σ p · log2 p adds 0 · x, and x may be −inf.
HWY_INLINE FloatVector ZeroIfNoPower(Floats d, FloatVector x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), x);
}

// The tile's scores become p = 2^(score − new_max). sum = Σ p and log_sum = Σ p · log2 p are brought to the
// new maximum and added to; all terms of log_sum are ≤ 0, so that the entropy ln(sum) − ln 2 · log_sum /
// sum has no cancellation. One vector of queries.
HWY_NOINLINE void OnlineSoftmax(Index keys, Index width, const float* new_max, float* HWY_RESTRICT max,
                                float* HWY_RESTRICT sum, float* HWY_RESTRICT log_sum,
                                float* HWY_RESTRICT tile) {
  const Floats d;
  const FloatVector safe = MaximumOrZero(d, hn::Load(d, new_max));
  FloatVector block_sum = hn::Zero(d), block_log = hn::Zero(d);
  for (Index j = 0; j < keys; ++j) {
    const FloatVector x = hn::Sub(hn::Load(d, tile + j * width), safe);
    const FloatVector p = Exp2NonPositive(d, x);
    hn::Store(p, d, tile + j * width);
    block_sum = hn::Add(block_sum, p);
    block_log = hn::MulAdd(p, ZeroIfNoPower(d, x), block_log);
  }
  const FloatVector shift = hn::Sub(hn::Load(d, max), safe);
  const FloatVector alpha = Exp2NonPositive(d, shift);
  const FloatVector old_sum = hn::Load(d, sum);
  const FloatVector old_log = hn::MulAdd(old_sum, ZeroIfNoPower(d, shift), hn::Load(d, log_sum));
  hn::Store(hn::MulAdd(old_sum, alpha, block_sum), d, sum);
  hn::Store(hn::MulAdd(old_log, alpha, block_log), d, log_sum);
  hn::Store(hn::Load(d, new_max), d, max);
}

// Weights from scores, 2^(score − max) · factor.
HWY_NOINLINE void WeightsFromScores(Index keys, Index width, const float* max, const float* factor,
                                    float* HWY_RESTRICT tile) {
  const Floats d;
  const FloatVector safe = MaximumOrZero(d, hn::Load(d, max)), f = hn::Load(d, factor);
  for (Index j = 0; j < keys; ++j) {
    const FloatVector x = hn::Sub(hn::Load(d, tile + j * width), safe);
    hn::Store(hn::Mul(Exp2NonPositive(d, x), f), d, tile + j * width);
  }
}

// Weights from p, which were taken against the maximum `then`.
HWY_NOINLINE void WeightsFromPowers(Index keys, Index width, const float* then, const float* max,
                                    const float* factor, float* HWY_RESTRICT tile) {
  const Floats d;
  const FloatVector shift = hn::Sub(hn::Load(d, then), MaximumOrZero(d, hn::Load(d, max)));
  const FloatVector f = hn::Mul(Exp2NonPositive(d, shift), hn::Load(d, factor));
  for (Index j = 0; j < keys; ++j) {
    hn::Store(hn::Mul(hn::Load(d, tile + j * width), f), d, tile + j * width);
  }
}

// received [keys] = sums over the queries.
template <int NV>
HWY_NOINLINE void AddReceived(const float* HWY_RESTRICT tile, Index keys, float* HWY_RESTRICT received) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index j = 0; j < keys; ++j, tile += NV * lanes) {
    FOVEA_LOAD_ROW(w, tile)
    FloatVector sum = w0;
    if constexpr (NV > 1) sum = hn::Add(sum, w1);
    if constexpr (NV > 2) sum = hn::Add(sum, w2);
    received[j] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// distance [W] += Σ w · |j − own|; positions [keys] are the numbers j of the keys.
template <int NV>
HWY_NOINLINE void AddDistance(const float* HWY_RESTRICT tile, Index keys,
                              const float* HWY_RESTRICT positions, const float* own,
                              float* HWY_RESTRICT distance) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FOVEA_LOAD_ROW(own, own)
  FloatVector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0;
  for (Index j = 0; j < keys; ++j, tile += NV * lanes) {
    const FloatVector key = hn::Set(d, positions[j]);
    FOVEA_LOAD_ROW(w, tile)
    sum0 = hn::MulAdd(w0, hn::Abs(hn::Sub(key, own0)), sum0);
    if constexpr (NV > 1) sum1 = hn::MulAdd(w1, hn::Abs(hn::Sub(key, own1)), sum1);
    if constexpr (NV > 2) sum2 = hn::MulAdd(w2, hn::Abs(hn::Sub(key, own2)), sum2);
  }
  FOVEA_LOAD_ROW(old, distance)
  hn::Store(hn::Add(old0, sum0), d, distance);
  if constexpr (NV > 1) hn::Store(hn::Add(old1, sum1), d, distance + lanes);
  if constexpr (NV > 2) hn::Store(hn::Add(old2, sum2), d, distance + 2 * lanes);
}

// cell_sum [W] and cell_max [W] of one cell take in `keys` rows of the tile.
template <int NV>
HWY_NOINLINE void AddToCell(const float* HWY_RESTRICT tile, Index keys, float* HWY_RESTRICT cell_sum,
                            float* HWY_RESTRICT cell_max) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, max0 = sum0, max1 = sum0, max2 = sum0;
  for (Index j = 0; j < keys; ++j, tile += NV * lanes) {
    FOVEA_LOAD_ROW(w, tile)
    sum0 = hn::Add(sum0, w0);
    max0 = hn::Max(max0, w0);
    if constexpr (NV > 1) sum1 = hn::Add(sum1, w1), max1 = hn::Max(max1, w1);
    if constexpr (NV > 2) sum2 = hn::Add(sum2, w2), max2 = hn::Max(max2, w2);
  }
  const auto add = [&](Index at, FloatVector sum, FloatVector max) HWY_ATTR {
    hn::Store(hn::Add(hn::Load(d, cell_sum + at), sum), d, cell_sum + at);
    hn::Store(hn::Max(hn::Load(d, cell_max + at), max), d, cell_max + at);
  };
  add(0, sum0, max0);
  if constexpr (NV > 1) add(lanes, sum1, max1);
  if constexpr (NV > 2) add(2 * lanes, sum2, max2);
}

#undef FOVEA_LOAD_ROW

// Does any of the W values of `a` exceed its partner in `b`? NaN never does.
HWY_INLINE bool AnyGreater(const float* a, const float* b, Index width) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index at = 0; at < width; at += lanes) {
    if (!hn::AllFalse(d, hn::Gt(hn::Load(d, a + at), hn::Load(d, b + at)))) return true;
  }
  return false;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STATISTICS_MEASURES_INL_H_
