// One piece of the backward pass: a range of keys of one key head, against all its queries. Include inside
// foreach_target.
//
// Per tile of up to 4 strips of queries (96 on AVX2) and 96 keys, five products by register tiles:
//   S  [keys, 24] = K · qᵀ      → P = 2^(S − shift)              lanes over queries, K read in place
//   dP [keys, 24] = V · dOᵀ     → dS = P ∘ (dP − delta)
//   dQᵀ [D, 24]  += Kᵀ · dS
//   dV [keys, Dv] += P · dO, dK [keys, D] += dS · Q              lanes over columns, all strips at once
// dK and dV of the range stay in the piece's own memory until all queries passed by.
//
// These steps alone, on data in cache (AVX2, 32 KiB of L1, 512 KiB of L2, D = 64, a busy machine): at best
// 89 % of the FMA peak, exponentials included. Tiles of 36 to 128 keys and blocks of 4 or 8 strips were
// within the noise of each other, and so were other strides of the panels and longer sums over queries in
// dK and dV.
#if defined(FOVEA_KERNELS_ATTENTION_BACKWARD_PIECE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BACKWARD_PIECE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BACKWARD_PIECE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BACKWARD_PIECE_INL_H_
#endif

#include <hwy/highway.h>

#include <utility>

#include "core/dropout.h"
#include "kernels/attention_backward_plan.h"
#include "kernels/attention_backward_strip-inl.h"
#include "kernels/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kBackwardStrips = 4;

HWY_INLINE Index BackwardBlockRows() {
  return kBackwardStrips * kStripVectors * static_cast<Index>(hn::Lanes(Floats()));
}

// A matrix [rows, columns] whose columns are stored by groups of 2 vectors (the first of 3 where their
// number is odd): a product reads one group from top to bottom, side by side.
struct ColumnGroups {
  ColumnGroups(Index columns_in, Index lanes_in, Index rows_in)
      : columns(columns_in), lanes(lanes_in), rows(rows_in), vectors((columns + lanes - 1) / lanes) {}
  Index columns, lanes, rows, vectors;
  Index padded() const { return vectors * lanes; }
  Index size() const { return padded() * rows; }
  int group_vectors(Index first) const { return vectors == 1 ? 1 : first == 0 && vectors % 2 == 1 ? 3 : 2; }
};

class BackwardPiece {
 public:
  explicit BackwardPiece(BackwardShared& shared);  // scratch, for one piece after the other
  void Run(Index piece);

 private:
  void LayOut();
  bool RunKeyHead(Index batch, Index key_head);  // false: another thread failed
  void StoreKeys(Index batch, Index key_head);
  void LoadBlock(const BackwardHead& head, Index block);
  void LoadGroups(const float* from, const ConstView& view, float factor, const ColumnGroups& groups,
                  float* to);
  void Tile(const BackwardHead& head, Index begin, Index end);
  void StripTile(const BackwardHead& head, const BackwardStrip& strip, const VisibleSpan& span, Index begin,
                 Index end);
  template <bool kDropout>
  void Weights(const BackwardStrip& strip, const VisibleSpan& span, float* weights, float* dscores);
  void AddBiasGradient(const BackwardHead& head, const BackwardStrip& strip, const VisibleSpan& span,
                       Index begin, Index end);
  void AddProducts(const BackwardHead& head, const VisibleSpan* spans, Index begin, Index end);
  void AddKeyProducts(Index begin, Index key, Index key_end, Index first, Index last);
  void AddOneByOne(const BackwardHead& head, const VisibleSpan* spans, Index begin, Index end);
  bool StoreQueries(const BackwardHead& head, Index block);
  bool KeysAreFinite(const BackwardHead& head);

  float* PanelRow(float* panel, Index key, Index tile_begin) {
    return panel + (key - tile_begin) * panel_width_;
  }

  bool AddsToSecond() const { return split_ % plan_.buffers != 0; }
  float* DqRow(const BackwardHead& head, Index row) {
    if (AddsToSecond()) return shared_.second_dq.data() + (head.index * plan_.n + row) * plan_.depth;
    return ScoreProblem::start(p_.dq, head.row.batch, head.row.head) + row * p_.dq.stride(3);
  }
  Index DqStride() const { return AddsToSecond() ? plan_.depth : p_.dq.stride(3); }

  BackwardShared& shared_;
  const AttentionBackwardProblem& p_;
  const BackwardPlan& plan_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index panel_width_ = BackwardBlockRows();
  Index piece_ = 0, split_ = 0, key_begin_ = 0, key_end_ = 0;
  ColumnGroups q_groups_, v_groups_;

  Tensor memory_;  // all the scratch below, in one piece
  BackwardStrip strips_[kBackwardStrips];
  Index strip_count_ = 0;
  Index first_row_ = 0, rows_ = 0;             // of the block
  float *anchor_, *shift_, *delta_, *scales_;  // [panel width]
  std::uint32_t *drop_first_, *drop_second_;   // [panel width]
  float *q_, *dout_;                           // the block's rows, as column groups; q · scale
  float *weights_, *dscores_, *slopes_;        // panels [kBackwardKeyBlock, panel width]
  float *dk_, *dv_;                            // [split_keys, D padded], [split_keys, Dv padded]
  float* diagonals_;                           // sums of score gradients of a tile
  float* scratch_;                             // of BackwardScores
  FetchAhead ahead_;
  double* column_ = nullptr;  // of the bias's gradient, for this head
  bool block_is_finite_ = true, keys_are_finite_ = true;
};

inline BackwardPiece::BackwardPiece(BackwardShared& shared)
    : shared_(shared),
      p_(shared.problem),
      plan_(shared.plan),
      q_groups_(plan_.depth, lanes_, panel_width_),
      v_groups_(plan_.value_width, lanes_, panel_width_) {
  LayOut();
}

inline void BackwardPiece::LayOut() {
  const Index strip = kStripVectors * lanes_, keys = plan_.split_keys;
  const Index panel = kBackwardKeyBlock * panel_width_;
  const bool capped = p_.softcap > 0;
  const bool adds_rows = p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive());
  const Index diagonals = panel_width_ + kBackwardKeyBlock,
              scratch = adds_rows ? 2 * kBackwardKeyBlock * strip : 0;
  const Index floats = kBackwardStrips * (2 * plan_.depth + plan_.value_width) * strip + 6 * panel_width_ +
                       q_groups_.size() + v_groups_.size() + (capped ? 3 : 2) * panel +
                       keys * (q_groups_.padded() + v_groups_.padded()) + diagonals + scratch;
  memory_ = Tensor::uninitialized({floats});
  float* at = memory_.data();
  // Vector loads want whole vectors: each of these is a multiple of the lanes.
  const auto take = [&at](Index count) { return std::exchange(at, at + count); };
  for (BackwardStrip& s : strips_) {
    s.q = take(plan_.depth * strip);
    s.dout = take(plan_.value_width * strip);
    s.dq = take(plan_.depth * strip);
  }
  scales_ = take(panel_width_);
  anchor_ = take(panel_width_);
  shift_ = take(panel_width_);
  delta_ = take(panel_width_);
  drop_first_ = reinterpret_cast<std::uint32_t*>(take(panel_width_));
  drop_second_ = reinterpret_cast<std::uint32_t*>(take(panel_width_));
  q_ = take(q_groups_.size());
  dout_ = take(v_groups_.size());
  weights_ = take(panel);
  dscores_ = take(panel);
  slopes_ = capped ? take(panel) : nullptr;
  dk_ = take(keys * q_groups_.padded());
  dv_ = take(keys * v_groups_.padded());
  scratch_ = take(scratch);
  diagonals_ = take(diagonals);
  std::fill_n(diagonals_, diagonals, 0.0f);
  std::fill_n(scales_, panel_width_, p_.scale);
}

inline void BackwardPiece::Run(Index piece) {
  piece_ = piece;
  // All heads of a range of keys before the next range: neighbours in time hardly ever add to the same dq.
  split_ = piece / (plan_.batch_classes * plan_.head_classes);
  key_begin_ = split_ * plan_.split_keys;
  key_end_ = std::min(key_begin_ + plan_.split_keys, plan_.m);
  const Index first_head = plan_.head_classes == 1 ? 0 : piece % plan_.head_classes;
  const Index heads = plan_.head_classes == 1 ? plan_.key_heads : 1;
  Index batch = piece / plan_.head_classes % plan_.batch_classes;
  for (; batch < plan_.batch; batch += plan_.batch_classes) {
    for (Index h = 0; h < heads; ++h) {
      if (!RunKeyHead(batch, first_head + h)) return;
    }
  }
}

inline bool BackwardPiece::RunKeyHead(Index batch, Index key_head) {
  const Index keys = key_end_ - key_begin_;
  std::fill_n(dk_, keys * q_groups_.padded(), 0.0f);
  std::fill_n(dv_, keys * v_groups_.padded(), 0.0f);
  for (Index g = 0; g < plan_.group; ++g) {
    const BackwardHead head(p_, batch * plan_.heads + key_head * plan_.group + g);
    if (g == 0) keys_are_finite_ = p_.mask == nullptr || KeysAreFinite(head);
    if (shared_.table_rows > 0) {
      column_ = shared_.table_sums.data() + (piece_ * plan_.group + g) * shared_.table_rows;
    }
    for (Index block = 0; block < plan_.blocks; ++block) {
      LoadBlock(head, block);
      for (Index begin = key_begin_; begin < key_end_; begin += kBackwardKeyBlock) {
        Tile(head, begin, std::min(begin + kBackwardKeyBlock, key_end_));
      }
      if (!StoreQueries(head, block)) return false;
    }
  }
  StoreKeys(batch, key_head);
  return true;
}

inline void BackwardPiece::StoreKeys(Index batch, Index key_head) {
  float* dk = ScoreProblem::start(p_.dk, batch, key_head) + key_begin_ * p_.dk.stride(3);
  float* dv = ScoreProblem::start(p_.dv, batch, key_head) + key_begin_ * p_.dv.stride(3);
  for (Index j = 0; j < key_end_ - key_begin_; ++j) {
    std::copy_n(dk_ + j * q_groups_.padded(), plan_.depth, dk + j * p_.dk.stride(3));
    std::copy_n(dv_ + j * v_groups_.padded(), plan_.value_width, dv + j * p_.dv.stride(3));
  }
}

// A hidden value that is not finite must not meet the zero weight of a hidden pair: 0 · NaN is NaN.
inline bool BackwardPiece::KeysAreFinite(const BackwardHead& head) {
  float sum = 0;
  for (Index j = key_begin_; j < key_end_; ++j) {
    for (Index c = 0; c < plan_.depth; ++c) sum += head.k[j * p_.k.stride(3) + c] * 0.0f;
    for (Index c = 0; c < plan_.value_width; ++c) sum += head.v[j * p_.v.stride(3) + c] * 0.0f;
  }
  return !std::isnan(sum);
}

inline void BackwardPiece::LoadGroups(const float* from, const ConstView& view, float factor,
                                      const ColumnGroups& groups, float* to) {
  FloatVector sums = hn::Zero(d_);  // of x · 0: NaN as soon as one x is not finite
  float sum = 0;
  const Index step = view.stride(4);
  // Row by row: group by group, each line of memory would be waited for by itself.
  for (Index r = 0; r < rows_; ++r) {
    const float* x = from + (first_row_ + r) * view.stride(3);
    for (Index first = 0; first < groups.vectors; first += groups.group_vectors(first)) {
      const Index width = groups.group_vectors(first) * lanes_, begin = first * lanes_;
      float* row = to + begin * panel_width_ + r * width;
      const Index columns = std::min(width, groups.columns - begin);
      Index c = 0;
      for (; step == 1 && c + lanes_ <= columns; c += lanes_) {
        const FloatVector scaled = hn::Mul(hn::LoadU(d_, x + begin + c), hn::Set(d_, factor));
        hn::Store(scaled, d_, row + c);
        sums = hn::MulAdd(scaled, hn::Zero(d_), sums);
      }
      for (; c < columns; ++c) {
        row[c] = x[(begin + c) * step] * factor;
        sum += row[c] * 0.0f;
      }
      std::fill(row + c, row + width, 0.0f);
    }
  }
  if (std::isnan(sum) || !hn::AllFalse(d_, hn::IsNaN(sums))) block_is_finite_ = false;
}

inline void BackwardPiece::LoadBlock(const BackwardHead& head, Index block) {
  first_row_ = block * plan_.block_rows;
  rows_ = std::min(plan_.block_rows, plan_.n - first_row_);
  block_is_finite_ = true;
  LoadGroups(head.q, p_.q, p_.scale, q_groups_, q_);
  LoadGroups(head.dout, p_.doutput, 1.0f, v_groups_, dout_);
  const Index first = head.index * plan_.n + first_row_;
  std::copy_n(shared_.anchor() + first, rows_, anchor_);
  std::copy_n(shared_.shift() + first, rows_, shift_);
  std::copy_n(shared_.delta() + first, rows_, delta_);
  // Lanes past the last query: weights of 0.
  std::fill(anchor_ + rows_, anchor_ + panel_width_, 0.0f);
  std::fill(shift_ + rows_, shift_ + panel_width_, std::numeric_limits<float>::infinity());
  std::fill(delta_ + rows_, delta_ + panel_width_, 0.0f);
  for (Index r = 0; p_.dropout > 0 && r < panel_width_; ++r) {
    const DropoutRow keys = dropout_row(p_.seed, head.index, first_row_ + r);
    drop_first_[r] = keys.first, drop_second_[r] = keys.second;
  }
  const StripCuts cuts(rows_, lanes_);
  strip_count_ = cuts.strips();
  for (Index s = 0; s < strip_count_; ++s) {
    BackwardStrip& strip = strips_[s];
    const Index column = strip.column = cuts.first_row(s);
    strip.first_row = first_row_ + column;
    strip.rows = cuts.first_row(s + 1) - column;
    strip.vectors = static_cast<int>((strip.rows + lanes_ - 1) / lanes_);
    strip.width = strip.vectors * lanes_;
    strip.anchored =
        std::any_of(anchor_ + column, anchor_ + column + strip.rows, [](float x) { return x != 0; });
    BackwardLoadStrip(head.q + strip.first_row * p_.q.stride(3), p_.q.stride(3), p_.q.stride(4), strip.rows,
                      plan_.depth, 1.0f, strip.width, strip.q);
    BackwardLoadStrip(head.dout + strip.first_row * p_.doutput.stride(3), p_.doutput.stride(3),
                      p_.doutput.stride(4), strip.rows, plan_.value_width, 1.0f, strip.width, strip.dout);
    std::fill_n(strip.dq, plan_.depth * strip.width, 0.0f);
    Row row = head.row;
    row.query = strip.first_row;
    strip.visible.load(p_.mask, row, strip.rows);
  }
  // What comes next is fetched while this block is worked on: dq, and the rows of the next block.
  ahead_ = {};
  ahead_.Add(DqRow(head, first_row_), DqStride(), rows_, plan_.depth);
  const Index next = first_row_ + rows_, next_rows = std::min(plan_.block_rows, plan_.n - next);
  if (p_.q.stride(4) == 1) {
    ahead_.Add(head.q + next * p_.q.stride(3), p_.q.stride(3), next_rows, plan_.depth);
  }
  if (p_.doutput.stride(4) == 1) {
    ahead_.Add(head.dout + next * p_.doutput.stride(3), p_.doutput.stride(3), next_rows, plan_.value_width);
  }
}

inline void BackwardPiece::Tile(const BackwardHead& head, Index begin, Index end) {
  VisibleSpan spans[kBackwardStrips];
  bool seen = false;
  for (Index s = 0; s < strip_count_; ++s) {
    spans[s] = strips_[s].visible.span(begin, end);
    seen |= spans[s].begin < spans[s].end;
  }
  if (!seen) return;
  for (Index s = 0; s < strip_count_; ++s) StripTile(head, strips_[s], spans[s], begin, end);
  AddProducts(head, spans, begin, end);
  if (column_ != nullptr) {
    // Query column c and key begin + j meet at diagonal c − j + end − begin − 1.
    const Index keys = end - begin;
    p_.bias->add_position_gradient(end - 1 - first_row_ - (plan_.m - plan_.n), rows_ + keys - 1, diagonals_,
                                   column_);
    std::fill_n(diagonals_, rows_ + keys - 1, 0.0f);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BACKWARD_PIECE_INL_H_
