// Scores of a strip of queries, computed again for the backward pass. Include inside foreach_target.
#if defined(FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention_backward.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// One query head: where it reads, and what its mask and bias are asked for.
struct BackwardHead {
  BackwardHead(const AttentionBackwardProblem& p, Index head_index)
      : index(head_index), row(p.row_of(head_index)) {
    const Index key_head = row.head / p.group();
    q = ScoreProblem::start(p.q, row.batch, row.head),
    dout = ScoreProblem::start(p.doutput, row.batch, row.head);
    k = ScoreProblem::start(p.k, row.batch, key_head), v = ScoreProblem::start(p.v, row.batch, key_head);
  }
  Index index;  // over A, B and H together
  Row row;
  const float *q, *dout, *k, *v;
};

// W = vectors · lanes queries side by side.
struct BackwardStrip {
  Index first_row = 0, rows = 0, width = 0;
  int vectors = kStripVectors;
  float *q = nullptr, *dout = nullptr, *dq = nullptr;  // transposed: [D, W], [Dv, W], [D, W]
  Index column = 0;                                    // of its first query in the block's panels
  bool anchored = false;                               // is an anchor of its rows ≠ 0?
  RowVisibility visible;
};

// MultiplyStrip for a number of vectors known at run time only.
template <TileEnd kEnd>
HWY_INLINE void MultiplyPanel(int vectors, const TileFactor& a, Index rows, const float* b, Index b_stride,
                              Index depth, float* c, Index c_stride, FetchAhead* ahead) {
  const auto multiply = vectors == 1   ? MultiplyStrip<1, kEnd>
                        : vectors == 2 ? MultiplyStrip<2, kEnd>
                                       : MultiplyStrip<3, kEnd>;
  multiply(a, rows, b, b_stride, depth, c, c_stride, nullptr, ahead);
}

// A strip, transposed: to [columns, width] = factor · from [rows, columns]; lanes past the last row are
// zeros.
HWY_INLINE void BackwardLoadStrip(const float* from, Index row_stride, Index column_stride, Index rows,
                                  Index columns, float factor, Index width, float* to) {
  if (rows < width) std::fill_n(to, columns * width, 0.0f);
  if (column_stride == 1) return TransposeIn(from, row_stride, rows, columns, factor, to, width);
  for (Index r = 0; r < rows; ++r) {
    const float* x = from + r * row_stride;
    for (Index i = 0; i < columns; ++i) to[i * width + r] = x[i * column_stride] * factor;
  }
}

// Tiles of scores in units of log2, (key j, query r) at tile[(j − begin) · stride + r]. Hidden pairs hold
// anything.
class BackwardScores {
 public:
  // scratch: 2 · W · keys floats
  BackwardScores(const AttentionBackwardProblem& problem, const BiasStrips& bias, float* scratch)
      : p_(problem), bias_(bias), scratch_(scratch) {}

  // With a softcap, slope (laid out as the tile) becomes its derivative, unless it is null.
  void Compute(const BackwardHead& head, const BackwardStrip& strip, Index begin, Index end, Index stride,
               float* tile, float* slope, FetchAhead* ahead) const {
    MultiplyPanel<TileEnd::scaled>(
        strip.vectors, {head.k + begin * p_.k.stride(3), p_.k.stride(3), 1, nullptr, p_.scale * kLog2E},
        end - begin, strip.q, strip.width, p_.depth(), tile, stride, ahead);
    if (p_.softcap > 0) Cap(strip, end - begin, stride, tile, slope);
    if (!bias_.empty()) AddBiasStrip(head, strip, begin, end, stride, tile);
    if ((p_.bias != nullptr && bias_.empty()) || (p_.mask != nullptr && p_.mask->is_additive())) {
      AddRows(head, strip, begin, end, stride, tile);
    }
  }

 private:
  void Cap(const BackwardStrip& strip, Index keys, Index stride, float* tile, float* slope) const {
    const FloatVector cap = hn::Set(d_, p_.softcap * kLog2E), one = hn::Set(d_, 1.0f),
                      inverse = hn::Set(d_, 1.0f / (p_.softcap * kLog2E));
    for (Index j = 0; j < keys; ++j) {
      for (Index at = j * stride; at < j * stride + strip.width; at += lanes_) {
        const FloatVector s = hn::Load(d_, tile + at);
        FloatVector t = hn::Tanh(d_, hn::Mul(s, inverse));
        t = hn::IfThenElse(hn::IsNaN(s), s, t);
        hn::Store(hn::Mul(cap, t), d_, tile + at);
        if (slope != nullptr) hn::Store(hn::Mul(hn::Sub(one, t), hn::Add(one, t)), d_, slope + at);
      }
    }
  }

  void AddBiasStrip(const BackwardHead& head, const BackwardStrip& strip, Index begin, Index end,
                    Index stride, float* tile) const {
    for (Index j = begin; j < end; ++j, tile += stride) {
      const float* bias = bias_.of(head.row.head) + strip.first_row - j;
      for (Index at = 0; at < strip.width; at += lanes_) AddVectorFinitely(d_, bias + at, tile + at);
    }
  }

  // Biases that are not strips, and additive masks: their rows are fetched, then transposed.
  void AddRows(const BackwardHead& head, const BackwardStrip& strip, Index begin, Index end, Index stride,
               float* tile) const {
    const Index keys = end - begin;
    float *fetched = scratch_, *transposed = scratch_ + strip.width * keys;  // [W, keys], [keys, W]
    std::fill_n(fetched, strip.width * keys, 0.0f);
    Row row = head.row;
    for (Index r = 0; r < strip.rows; ++r) {
      row.query = strip.first_row + r;
      if (p_.bias != nullptr && bias_.empty()) p_.bias->add_values(row, begin, end, fetched + r * keys);
      if (p_.mask != nullptr && p_.mask->is_additive())
        p_.mask->add_values(row, begin, end, fetched + r * keys);
    }
    TransposeIn(fetched, keys, strip.width, keys, 1.0f, transposed, strip.width);
    constexpr float kLargest = std::numeric_limits<float>::max();
    const FloatVector largest = hn::Set(d_, kLargest), smallest = hn::Set(d_, -kLargest);
    for (Index j = 0; j < keys; ++j, transposed += strip.width) {
      for (Index at = 0; at < strip.width; at += lanes_) {
        // A finite value stays finite: only a mask hides.
        const FloatVector value = hn::LoadU(d_, transposed + at),
                          scaled = hn::Mul(value, hn::Set(d_, kLog2E));
        const FloatVector clamped = hn::Min(hn::Max(scaled, smallest), largest);
        hn::StoreU(hn::IfThenElse(hn::IsFinite(value), clamped, value), d_, transposed + at);
        AddVectorFinitely(d_, transposed + at, tile + j * stride + at);
      }
    }
  }

  const AttentionBackwardProblem& p_;
  const BiasStrips& bias_;
  float* scratch_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BACKWARD_STRIP_INL_H_
