// Scores of a strip of queries, computed again for the backward pass. Include inside foreach_target.
#if defined(FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention_backward.h"
#include "kernels/register_tile-inl.h"
#include "kernels/row_visibility.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr float kBackwardLog2E = 1.44269504088896341f;
constexpr int kBackwardVectors = 3;  // of a whole strip

// One query head: where it reads, and what its mask and bias are asked for.
struct BackwardHead {
  BackwardHead(const AttentionBackwardProblem& p, Index head_index) : index(head_index) {
    const Index heads = p.q.shape()[2], head = index % heads, batch = index / heads;
    const Index a = batch / p.q.shape()[1], b = batch % p.q.shape()[1];
    const Index key_head = head / (heads / p.k.shape()[2]);
    const auto start = [&](const ConstView& x, Index h) {  // not &x(a, b, h): an empty view may be null
      return x.data() + a * x.stride(0) + b * x.stride(1) + h * x.stride(2);
    };
    row = {batch, head, 0, p.q.shape()[3], p.k.shape()[3]};
    q = start(p.q, head), dout = start(p.doutput, head), k = start(p.k, key_head), v = start(p.v, key_head);
  }
  Index index;  // over A, B and H together
  Row row;
  const float *q, *dout, *k, *v;
};

// W = vectors · lanes queries side by side.
struct BackwardStrip {
  Index first_row = 0, rows = 0, width = 0;
  int vectors = kBackwardVectors;
  float *q = nullptr, *dout = nullptr, *dq = nullptr;  // transposed: [D, W], [Dv, W], [D, W]
  Index column = 0;                                    // of its first query in the block's panels
  bool anchored = false;                               // is an anchor of its rows ≠ 0?
  RowVisibility visible;
};

// MultiplyStrip for a number of vectors known at run time.
template <TileEnd kEnd>
HWY_INLINE void MultiplyVectors(int vectors, const TileFactor& a, Index rows, const float* b,
                                Index b_stride, Index depth, float* c, Index c_stride) {
  const auto multiply = vectors == 1   ? MultiplyStrip<1, kEnd>
                        : vectors == 2 ? MultiplyStrip<2, kEnd>
                                       : MultiplyStrip<3, kEnd>;
  multiply(a, rows, b, b_stride, depth, c, c_stride, nullptr);
}

// to [columns, rows] (+)= factor · fromᵀ, from [rows, columns]; both contiguous along their last axis. By
// squares of 4: element by element, the transposes of a block took a twentieth of the whole pass.
template <bool kAdd>
inline void BackwardTranspose(const float* HWY_RESTRICT from, Index from_stride, Index rows, Index columns,
                              float factor, float* HWY_RESTRICT to, Index to_stride) {
  Index r = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 4> d4;
  const hn::RepartitionToWide<decltype(d4)> d2;  // pairs of floats
  const auto put = [&](auto pairs, float* at) HWY_ATTR {
    auto x = hn::Mul(hn::BitCast(d4, pairs), hn::Set(d4, factor));
    if constexpr (kAdd) x = hn::Add(x, hn::LoadU(d4, at));
    hn::StoreU(x, d4, at);
  };
  for (; r + 4 <= rows; r += 4) {
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      const float* x = from + r * from_stride + c;
      const auto a = hn::LoadU(d4, x), b = hn::LoadU(d4, x + from_stride);
      const auto e = hn::LoadU(d4, x + 2 * from_stride), f = hn::LoadU(d4, x + 3 * from_stride);
      const auto ab_low = hn::BitCast(d2, hn::InterleaveLower(d4, a, b));
      const auto ab_high = hn::BitCast(d2, hn::InterleaveUpper(d4, a, b));
      const auto ef_low = hn::BitCast(d2, hn::InterleaveLower(d4, e, f));
      const auto ef_high = hn::BitCast(d2, hn::InterleaveUpper(d4, e, f));
      float* row = to + c * to_stride + r;
      put(hn::InterleaveLower(d2, ab_low, ef_low), row);
      put(hn::InterleaveUpper(d2, ab_low, ef_low), row + to_stride);
      put(hn::InterleaveLower(d2, ab_high, ef_high), row + 2 * to_stride);
      put(hn::InterleaveUpper(d2, ab_high, ef_high), row + 3 * to_stride);
    }
    for (; c < columns; ++c) {
      for (Index i = r; i < r + 4; ++i) {
        float& x = to[c * to_stride + i];
        x = (kAdd ? x : 0.0f) + from[i * from_stride + c] * factor;
      }
    }
  }
#endif
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      float& x = to[c * to_stride + r];
      x = (kAdd ? x : 0.0f) + from[r * from_stride + c] * factor;
    }
  }
}

// A strip, transposed: to [columns, width] = factor · from [rows, columns]; lanes past the last row are
// zeros.
HWY_INLINE void BackwardLoadStrip(const float* from, Index row_stride, Index column_stride, Index rows,
                                  Index columns, float factor, Index width, float* to) {
  if (rows < width) std::fill_n(to, columns * width, 0.0f);
  if (column_stride == 1)
    return BackwardTranspose<false>(from, row_stride, rows, columns, factor, to, width);
  for (Index r = 0; r < rows; ++r) {
    const float* x = from + r * row_stride;
    for (Index i = 0; i < columns; ++i) to[i * width + r] = x[i * column_stride] * factor;
  }
}

// As in the forward pass: two finite numbers stay finite, only −inf hides.
HWY_INLINE float AddFiniteValues(float score, float value) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!std::isfinite(score) || !std::isfinite(value)) return score + value;
  return std::clamp(score + std::clamp(value * kBackwardLog2E, -kLargest, kLargest), -kLargest, kLargest);
}

// Tiles of scores in units of log2, (key j, query r) at tile[(j − begin) · stride + r]. Hidden pairs hold
// anything.
class BackwardScores {
 public:
  // row_values: scratch for the values of one row of a tile
  BackwardScores(const AttentionBackwardProblem& problem, float* row_values)
      : p_(problem), depth_(problem.q.shape()[4]), row_values_(row_values) {}

  // With a softcap, slope (laid out as the tile) becomes its derivative.
  void Compute(const BackwardHead& head, const BackwardStrip& strip, Index begin, Index end, Index stride,
               float* tile, float* slope) const {
    MultiplyVectors<TileEnd::store>(strip.vectors, {head.k + begin * p_.k.stride(3), p_.k.stride(3), 1},
                                    end - begin, strip.q, strip.width, depth_, tile, stride);
    if (p_.softcap > 0) Cap(strip, end - begin, stride, tile, slope);
    if (p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive())) {
      AddRows(head, strip, begin, end, stride, tile);
    }
  }

 private:
  void Cap(const BackwardStrip& strip, Index keys, Index stride, float* tile, float* slope) const {
    const Floats d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const FloatVector cap = hn::Set(d, p_.softcap * kBackwardLog2E), one = hn::Set(d, 1.0f),
                      inverse = hn::Set(d, 1.0f / (p_.softcap * kBackwardLog2E));
    for (Index j = 0; j < keys; ++j) {
      for (Index at = j * stride; at < j * stride + strip.width; at += lanes) {
        const FloatVector s = hn::Load(d, tile + at);
        FloatVector t = hn::Tanh(d, hn::Mul(s, inverse));
        t = hn::IfThenElse(hn::IsNaN(s), s, t);
        hn::Store(hn::Mul(cap, t), d, tile + at);
        if (slope != nullptr) hn::Store(hn::Mul(hn::Sub(one, t), hn::Add(one, t)), d, slope + at);
      }
    }
  }

  void AddRows(const BackwardHead& head, const BackwardStrip& strip, Index begin, Index end, Index stride,
               float* tile) const {
    Row row = head.row;
    for (Index r = 0; r < strip.rows; ++r) {
      row.query = strip.first_row + r;
      std::fill_n(row_values_, end - begin, 0.0f);
      if (p_.bias != nullptr) p_.bias->add_values(row, begin, end, row_values_);
      if (p_.mask != nullptr && p_.mask->is_additive()) p_.mask->add_values(row, begin, end, row_values_);
      for (Index j = 0; j < end - begin; ++j) {
        float& score = tile[j * stride + r];
        score = AddFiniteValues(score, row_values_[j]);
      }
    }
  }

  const AttentionBackwardProblem& p_;
  Index depth_;
  float* row_values_;
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
