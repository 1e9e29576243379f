// The tile of the backward pass: from scores to the three sums of gradients. Include inside foreach_target.
#if defined(FOVEA_KERNELS_ATTENTION_BACKWARD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BACKWARD_TILE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BACKWARD_TILE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BACKWARD_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <vector>

#include "kernels/attention_backward_piece-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// The strip's columns of both panels: weights (after dropout) and score gradients; zeros where nothing is
// seen.
inline void BackwardPiece::StripTile(const BackwardHead& head, const BackwardStrip& strip,
                                     const VisibleSpan& span, Index begin, Index end) {
  for (Index j = begin; j < end; ++j) {
    if (j == span.begin && span.begin < span.end) j = span.end;
    if (j >= end) break;
    std::fill_n(PanelRow(weights_, j, begin) + strip.column, strip.width, 0.0f);
    std::fill_n(PanelRow(dscores_, j, begin) + strip.column, strip.width, 0.0f);
  }
  if (span.begin == span.end) return;
  const Index keys = span.end - span.begin;
  float* weights = PanelRow(weights_, span.begin, begin) + strip.column;
  float* dscores = PanelRow(dscores_, span.begin, begin) + strip.column;
  float* slopes = slopes_ == nullptr ? nullptr : PanelRow(slopes_, span.begin, begin) + strip.column;
  BackwardScores(p_, shared_.bias_strips, scratch_)
      .Compute(head, strip, span.begin, span.end, panel_width_, weights, slopes, &ahead_);
  MultiplyPanel<TileEnd::store>(strip.vectors, {head.v + span.begin * p_.v.stride(3), p_.v.stride(3), 1},
                                keys, strip.dout, strip.width, plan_.value_width, dscores, panel_width_,
                                &ahead_);
  if (p_.dropout > 0) {
    Weights<true>(strip, span, weights, dscores);
  } else {
    Weights<false>(strip, span, weights, dscores);
  }
  const auto hide = [&](float* tile) {
    if (!span.full) strip.visible.fill_hidden(span.begin, span.end, panel_width_, 0.0f, tile);
  };
  hide(weights);
  hide(dscores);
  if (p_.bias != nullptr) AddBiasGradient(head, strip, span, begin, end);
  if (slopes == nullptr) return;
  for (Index j = 0; j < keys; ++j) {
    for (Index at = j * panel_width_; at < j * panel_width_ + strip.width; at += lanes_) {
      hn::Store(hn::Mul(hn::Load(d_, dscores + at), hn::Load(d_, slopes + at)), d_, dscores + at);
    }
  }
  hide(dscores);  // the slope of a hidden score that overflowed may be NaN
}

// weights: scores → weights; dscores: gradients of the weights → of the scores.
template <bool kDropout>
void BackwardPiece::Weights(const BackwardStrip& strip, const VisibleSpan& span,
                            float* HWY_RESTRICT weights, float* HWY_RESTRICT dscores) {
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const auto m1 = hn::Set(du, kDropoutMultiplier1), m2 = hn::Set(du, kDropoutMultiplier2);
  const auto threshold = hn::Set(di, static_cast<std::int32_t>(dropout_threshold(p_.dropout)));
  const FloatVector kept_factor = hn::Set(d_, 1.0f / (1.0f - p_.dropout));
  const Index keys = span.end - span.begin;
  for (Index at = 0; at < strip.width; at += lanes_) {
    const Index column = strip.column + at;
    const FloatVector anchor = hn::Load(d_, anchor_ + column), shift = hn::Load(d_, shift_ + column),
                      delta = hn::Load(d_, delta_ + column);
    float* HWY_RESTRICT w = weights + at;
    float* HWY_RESTRICT s = dscores + at;
    if (strip.anchored) {
      for (Index j = 0; j < keys; ++j) {
        float* score = w + j * panel_width_;
        hn::Store(hn::Sub(hn::Load(d_, score), anchor), d_, score);
      }
    }
    const auto first_key = hn::Load(du, drop_first_ + column),
               second_key = hn::Load(du, drop_second_ + column);
    for (Index j = 0; j < keys; ++j, w += panel_width_, s += panel_width_) {
      FloatVector weight = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, w), shift));
      FloatVector dweight = hn::Load(d_, s);
      FloatVector used = weight;
      if constexpr (kDropout) {  // the vector form of dropout_bits
        auto x = hn::Add(hn::Set(du, static_cast<std::uint32_t>(span.begin + j) * kDropoutStep), first_key);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
        x = hn::Xor(x, second_key);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
        x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
        x = hn::ShiftRight<8>(hn::Xor(x, hn::ShiftRight<16>(x)));
        const auto dropped = hn::RebindMask(d_, hn::Lt(hn::BitCast(di, x), threshold));
        const FloatVector factor = hn::IfThenZeroElse(dropped, kept_factor);
        used = hn::Mul(weight, factor);
        dweight = hn::Mul(dweight, factor);
      }
      hn::Store(used, d_, w);
      hn::Store(hn::Mul(weight, hn::Sub(dweight, delta)), d_, s);
    }
  }
}

// Before the softcap's slope: bias and mask are added after the cap.
inline void BackwardPiece::AddBiasGradient(const BackwardHead& head, const BackwardStrip& strip,
                                           const VisibleSpan& span, Index begin, Index end) {
  if (column_ == nullptr) {
    Row row = head.row;
    row.query = strip.first_row;
    p_.bias->add_tile_gradient(row, strip.rows, span.begin, span.end,
                               PanelRow(dscores_, span.begin, begin) + strip.column, panel_width_,
                               p_.dbias);
    return;
  }
  for (Index j = span.begin; j < span.end; ++j) {
    const float* from = PanelRow(dscores_, j, begin) + strip.column;
    float* to = diagonals_ + strip.column - (j - begin) + (end - begin - 1);
    Index r = 0;
    for (; r + lanes_ <= strip.rows; r += lanes_) {
      hn::StoreU(hn::Add(hn::LoadU(d_, to + r), hn::Load(d_, from + r)), d_, to + r);
    }
    for (; r < strip.rows; ++r) to[r] += from[r];
  }
}

inline void BackwardPiece::AddProducts(const BackwardHead& head, const VisibleSpan* spans, Index begin,
                                       Index end) {
  bool everything = true;
  for (Index s = 0; s < strip_count_; ++s) {
    everything &= spans[s].full && spans[s].begin == begin && spans[s].end == end;
  }
  if (!everything && !(keys_are_finite_ && block_is_finite_)) return AddOneByOne(head, spans, begin, end);
  for (Index s = 0; s < strip_count_; ++s) {
    const BackwardStrip& strip = strips_[s];
    const Index keys = spans[s].end - spans[s].begin;
    if (keys == 0) continue;
    MultiplyPanel<TileEnd::add>(strip.vectors,
                                {head.k + spans[s].begin * p_.k.stride(3), 1, p_.k.stride(3)}, plan_.depth,
                                PanelRow(dscores_, spans[s].begin, begin) + strip.column, panel_width_,
                                keys, strip.dq, strip.width, &ahead_);
  }
  if (everything) return AddKeyProducts(begin, begin, end, 0, rows_);
  // Strips that see nothing of a few keys at the tile's edge need not be multiplied by zero.
  constexpr Index kKeys = 12;  // two register tiles
  for (Index key = begin; key < end; key += kKeys) {
    const Index key_end = std::min(key + kKeys, end);
    Index first = rows_, last = 0;
    for (Index s = 0; s < strip_count_; ++s) {
      if (spans[s].begin >= key_end || spans[s].end <= key || spans[s].begin == spans[s].end) continue;
      first = std::min(first, strips_[s].column);
      last = strips_[s].column + strips_[s].rows;
    }
    if (first < last) AddKeyProducts(begin, key, key_end, first, last);
  }
}

// dV += P · dO and dK += dS · Q of keys [key, key_end) over the block's queries [first, last).
inline void BackwardPiece::AddKeyProducts(Index begin, Index key, Index key_end, Index first, Index last) {
  const auto add = [&](const ColumnGroups& groups, float* panel, const float* rows, float* sums) HWY_ATTR {
    for (Index vector = 0; vector < groups.vectors; vector += groups.group_vectors(vector)) {
      const int vectors = groups.group_vectors(vector);
      const Index width = vectors * lanes_;
      MultiplyPanel<TileEnd::add>(
          vectors, {PanelRow(panel, key, begin) + first, panel_width_, 1}, key_end - key,
          rows + vector * lanes_ * panel_width_ + first * width, width, last - first,
          sums + (key - key_begin_) * groups.padded() + vector * lanes_, groups.padded(), &ahead_);
    }
  };
  add(v_groups_, weights_, dout_, dv_);
  add(q_groups_, dscores_, q_, dk_);
}

// Pair by visible pair, where something not finite is hidden from somebody.
inline void BackwardPiece::AddOneByOne(const BackwardHead& head, const VisibleSpan* spans, Index begin,
                                       Index end) {
  std::vector<float> hidden(static_cast<std::size_t>((end - begin) * panel_width_), 1.0f);
  for (Index s = 0; s < strip_count_; ++s) {
    float* flags = hidden.data() + (spans[s].begin - begin) * panel_width_ + strips_[s].column;
    for (Index j = 0; j < spans[s].end - spans[s].begin; ++j) {
      std::fill_n(flags + j * panel_width_, strips_[s].rows, 0.0f);
    }
    if (!spans[s].full)
      strips_[s].visible.fill_hidden(spans[s].begin, spans[s].end, panel_width_, 1.0f, flags);
  }
  for (Index s = 0; s < strip_count_; ++s) {
    const BackwardStrip& strip = strips_[s];
    for (Index r = 0; r < strip.rows; ++r) {
      const float* query = head.q + (strip.first_row + r) * p_.q.stride(3);
      const float* dout = head.dout + (strip.first_row + r) * p_.doutput.stride(3);
      for (Index j = spans[s].begin; j < spans[s].end; ++j) {
        const Index at = (j - begin) * panel_width_ + strip.column + r;
        if (hidden[static_cast<std::size_t>(at)] != 0) continue;
        float* dk = dk_ + (j - key_begin_) * q_groups_.padded();
        float* dv = dv_ + (j - key_begin_) * v_groups_.padded();
        for (Index c = 0; c < plan_.depth; ++c) {
          strip.dq[c * strip.width + r] += dscores_[at] * head.k[j * p_.k.stride(3) + c];
          dk[c] += dscores_[at] * (query[c * p_.q.stride(4)] * p_.scale);
        }
        for (Index c = 0; c < plan_.value_width; ++c) {
          dv[c] += weights_[at] * dout[c * p_.doutput.stride(4)];
        }
      }
    }
  }
}

// Rows of dq: the ranges of keys add in order. False: another thread failed.
inline bool BackwardPiece::StoreQueries(const BackwardHead& head, Index block) {
  const Index buffer = split_ % plan_.buffers;
  const Index place = (head.index * plan_.blocks + block) * plan_.buffers + buffer;
  if (plan_.splits > 1 && !shared_.turns.wait(place, split_ / plan_.buffers)) return false;
  for (Index s = 0; s < strip_count_; ++s) {
    const BackwardStrip& strip = strips_[s];
    float* to = DqRow(head, strip.first_row);
    const bool first = split_ < plan_.buffers;
    // Later ranges add; q, which nobody needs any more, holds their rows.
    float* rows = first ? to : strip.q;
    TransposeOut(strip.dq, strip.width, plan_.depth, strip.rows, scales_, rows,
                 first ? DqStride() : plan_.depth);
    for (Index r = 0; !first && r < strip.rows; ++r) {
      for (Index c = 0; c < plan_.depth; ++c) to[r * DqStride() + c] += rows[r * plan_.depth + c];
    }
  }
  if (plan_.splits > 1) shared_.turns.pass(place);
  return true;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BACKWARD_TILE_INL_H_
