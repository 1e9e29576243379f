// A strip of queries for the statistics, and its scores key block by key block. Include inside
// foreach_target.
//
// SIMD lanes run over queries, as in attention: a strip holds W = vectors · lanes of them, transposed, and
// scores are in units of log2, scale · log2(e) folded into q.
#if defined(FOVEA_KERNELS_STATISTICS_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#undef FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#else
#define FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/register_tile-inl.h"
#include "kernels/row_visibility.h"
#include "kernels/statistics.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr float kStatisticsLog2E = 1.44269504088896341f;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kStripVectors = 3;   // of a whole strip
constexpr Index kBlockKeys = 128;  // keys in a block: a tile of 128 × 24 scores stays in L1

// The visible part of one key block, and where its scores are kept between the passes.
struct KeySpan {
  VisibleSpan keys;
  Index offset = 0;  // in keys of the strip before this span
};

struct StatisticsStrip {
  Index first_row = 0, rows = 0, width = 0;
  int vectors = kStripVectors;
  bool has_nan = false;
  float* q = nullptr;  // [D, W]
  // Per query: running maximum, Σ p, Σ p · log2 p, the factor of the normalisation, the own position,
  // Σ w · |j − own|.
  float *max = nullptr, *sum = nullptr, *log_sum = nullptr, *factor = nullptr, *own = nullptr,
        *distance = nullptr;
  float* history = nullptr;                        // [spans, W]: the maximum after each span
  float *cell_sum = nullptr, *cell_max = nullptr;  // [picture_columns, W]
  float* u = nullptr;                              // [W, C padded]
  bool u_is_finite = true;
  std::vector<Index> best;        // [W]: the key of the maximum
  std::vector<float> top_scores;  // [W, top_k]
  std::vector<Index> top_keys;    // [W, top_k]
  RowVisibility visible;
  std::vector<KeySpan> spans;  // not the hidden ones

  Index keys_seen() const {
    return spans.empty() ? 0 : spans.back().offset + spans.back().keys.end - spans.back().keys.begin;
  }
};

// The scores of one head.
class HeadScores {
 public:
  HeadScores(const StatisticsProblem& problem, Index head_index);

  // Fills q, visible and spans; first_row, rows, width and vectors are set.
  void Load(StatisticsStrip& strip) const;

  // tile [keys, W]: the formula up to the softmax, hidden pairs and lanes past the last query as −inf.
  // `max` [W] becomes the maximum of itself and the tile; null: not wanted.
  void Compute(const StatisticsStrip& strip, const VisibleSpan& span, float* max, float* tile);

  Index head_index() const { return head_index_; }
  Index batch_a() const { return a_; }
  Index batch_b() const { return b_; }
  Index head() const { return row_.head; }

 private:
  void Cap(Index floats, float* tile) const;
  void AddRows(const StatisticsStrip& strip, const VisibleSpan& span, float* tile);

  const StatisticsProblem& p_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index n_, m_, depth_, head_index_;
  Index a_, b_;
  Row row_;
  const float *queries_, *keys_;
  float row_values_[kBlockKeys];  // bias and additive mask of one row
};

inline HeadScores::HeadScores(const StatisticsProblem& problem, Index head_index)
    : p_(problem),
      n_(problem.q.shape()[3]),
      m_(problem.k.shape()[3]),
      depth_(problem.q.shape()[4]),
      head_index_(head_index) {
  const Index heads = p_.q.shape()[2], head = head_index % heads, batch = head_index / heads;
  a_ = batch / p_.q.shape()[1];
  b_ = batch % p_.q.shape()[1];
  row_ = {batch, head, 0, n_, m_};
  const auto start = [&](const ConstView& x, Index h) {  // not &x(a, b, h): an empty view may be null
    return x.data() + a_ * x.stride(0) + b_ * x.stride(1) + h * x.stride(2);
  };
  queries_ = start(p_.q, head);
  keys_ = start(p_.k, head / (heads / p_.k.shape()[2]));
}

inline void HeadScores::Load(StatisticsStrip& strip) const {
  const float factor = p_.scale * kStatisticsLog2E;
  std::fill_n(strip.q, depth_ * strip.width, 0.0f);
  for (Index r = 0; r < strip.rows; ++r) {
    const float* from = queries_ + (strip.first_row + r) * p_.q.stride(3);
    for (Index i = 0; i < depth_; ++i) strip.q[i * strip.width + r] = from[i * p_.q.stride(4)] * factor;
  }
  Row first = row_;
  first.query = strip.first_row;
  strip.visible.load(p_.mask, first, strip.rows);
  strip.spans.clear();
  if (m_ == 0) return;
  const VisibleSpan whole = strip.visible.span(0, m_);
  Index offset = 0;
  for (Index begin = whole.begin / kBlockKeys * kBlockKeys; begin < whole.end; begin += kBlockKeys) {
    const VisibleSpan span = strip.visible.span(begin, std::min(begin + kBlockKeys, m_));
    if (span.begin == span.end) continue;
    strip.spans.push_back({span, offset});
    offset += span.end - span.begin;
  }
}

// c · tanh(s / c) in units of log2; NaN stays NaN.
inline void HeadScores::Cap(Index floats, float* tile) const {
  const float cap = p_.softcap * kStatisticsLog2E;
  for (Index i = 0; i < floats; i += lanes_) {
    const FloatVector s = hn::Load(d_, tile + i);
    const FloatVector capped = hn::Mul(hn::Set(d_, cap), hn::Tanh(d_, hn::Mul(s, hn::Set(d_, 1.0f / cap))));
    hn::Store(hn::IfThenElse(hn::IsNaN(s), s, capped), d_, tile + i);
  }
}

// score + value · log2(e), where two finite numbers stay finite: only −inf hides.
HWY_INLINE float AddFiniteValue(float score, float value) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!std::isfinite(score) || !std::isfinite(value)) return score + value;
  return std::clamp(score + std::clamp(value * kStatisticsLog2E, -kLargest, kLargest), -kLargest, kLargest);
}

inline void HeadScores::AddRows(const StatisticsStrip& strip, const VisibleSpan& span, float* tile) {
  const Index keys = span.end - span.begin;
  Row row = row_;
  for (Index r = 0; r < strip.rows; ++r) {
    row.query = strip.first_row + r;
    std::fill_n(row_values_, keys, 0.0f);
    if (p_.bias != nullptr) p_.bias->add_values(row, span.begin, span.end, row_values_);
    if (p_.mask != nullptr && p_.mask->is_additive()) {
      p_.mask->add_values(row, span.begin, span.end, row_values_);
    }
    for (Index j = 0; j < keys; ++j) {
      float& score = tile[j * strip.width + r];
      score = AddFiniteValue(score, row_values_[j]);
    }
  }
}

template <TileEnd kEnd>
HWY_INLINE void MultiplyKeys(const StatisticsStrip& strip, const TileFactor& keys, Index count, Index depth,
                             float* tile, float* max) {
  const auto multiply = strip.vectors == 1   ? MultiplyStrip<1, kEnd>
                        : strip.vectors == 2 ? MultiplyStrip<2, kEnd>
                                             : MultiplyStrip<3, kEnd>;
  multiply(keys, count, strip.q, strip.width, depth, tile, strip.width, max);
}

inline void HeadScores::Compute(const StatisticsStrip& strip, const VisibleSpan& span, float* max,
                                float* tile) {
  const Index keys = span.end - span.begin, width = strip.width;
  const TileFactor factor{keys_ + span.begin * p_.k.stride(3), p_.k.stride(3), 1};
  const bool adds = p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive());
  const bool plain = span.full && strip.rows == width && p_.softcap == 0 && !adds;
  if (plain && max != nullptr)
    return MultiplyKeys<TileEnd::maximum>(strip, factor, keys, depth_, tile, max);
  MultiplyKeys<TileEnd::store>(strip, factor, keys, depth_, tile, nullptr);
  if (plain) return;
  if (p_.softcap > 0) Cap(keys * width, tile);
  if (adds) AddRows(strip, span, tile);
  if (!span.full) strip.visible.fill_hidden(span.begin, span.end, width, kMinusInfinity, tile);
  // Lanes past the last query see nothing: so they add to no sum, whatever the keys are.
  for (Index j = 0; j < keys && strip.rows < width; ++j) {
    std::fill(tile + j * width + strip.rows, tile + (j + 1) * width, kMinusInfinity);
  }
  if (max == nullptr) return;
  for (Index at = 0; at < width; at += lanes_) {
    FloatVector most = hn::Load(d_, max + at);
    for (Index j = 0; j < keys; ++j) most = hn::Max(most, hn::Load(d_, tile + j * width + at));
    hn::Store(most, d_, max + at);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
