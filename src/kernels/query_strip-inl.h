// A strip of queries and its scores: what forward, backward and statistics have in common. Include inside
// foreach_target.
//
// SIMD lanes run over queries: a strip holds W = vectors · lanes of them, transposed. Keys are read in
// place, by broadcast. Scores live in units of log2: the product is multiplied by scale · log2(e) at its
// end. (Folded into q it would cost nothing, but round every element of q: errors were a tenth larger.)
#if defined(FOVEA_KERNELS_QUERY_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_QUERY_STRIP_INL_H_
#undef FOVEA_KERNELS_QUERY_STRIP_INL_H_
#else
#define FOVEA_KERNELS_QUERY_STRIP_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/bias_strips.h"
#include "kernels/key_segments.h"
#include "kernels/register_tile-inl.h"
#include "kernels/row_visibility.h"
#include "kernels/stored-inl.h"
#include "kernels/strip_layout.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504088896341f;

// The keys of one step of a strip.
struct KeyStep {
  const float* rows;  // [count, stride]
  Index stride;
  Index first;  // the number of the first key
  Index count;
  const Index* gathered;  // the numbers of all keys, if they are not neighbours, or null
  bool full;              // every query of the strip sees every key
  Interval common;        // hidden pairs lie outside of these keys, if they are neighbours
  bool in_order = false;  // the rows stand side by side, gathered or not

  Index key(Index g) const { return gathered == nullptr ? first + g : gathered[g]; }
};

// c = a · b for 1, 2 or 3 vectors of a strip that is `width` queries wide.
template <TileEnd kEnd>
HWY_INLINE void MultiplyColumns(int vectors, const TileFactor& a, Index rows, const float* b, Index depth,
                                float* c, float* alpha, Index width, FetchAhead* ahead = nullptr) {
  const auto multiply = vectors == 3   ? MultiplyStrip<3, kEnd>
                        : vectors == 2 ? MultiplyStrip<2, kEnd>
                                       : MultiplyStrip<1, kEnd>;
  multiply(a, rows, b, width, depth, c, width, alpha, ahead);
}

// The same for all vectors of a strip.
template <TileEnd kEnd>
HWY_INLINE void MultiplyVectors(int vectors, const TileFactor& a, Index rows, const float* b, Index depth,
                                float* c, float* alpha, FetchAhead* ahead = nullptr) {
  const Index width = vectors * static_cast<Index>(hn::Lanes(Floats()));
  MultiplyColumns<kEnd>(vectors, a, rows, b, depth, c, alpha, width, ahead);
}

class QueryStrip {
 public:
  // `memory` holds depth · W floats, aligned to vectors; `widened` [W, depth] queries of another type.
  void Load(const ScoreProblem& problem, const BiasStrips& bias, const Row& where, const StripRows& rows,
            float* memory, float* widened = nullptr);

  // scores [keys rounded up to 4 or 6, W]: everything of the formula up to the softmax, hidden pairs as
  // −inf. max [W] becomes the maximum of itself and all keys. `scratch` holds 2 · W · keys floats.
  void Scores(const KeyStep& keys, float* HWY_RESTRICT scores, float* HWY_RESTRICT max,
              float* HWY_RESTRICT scratch, FetchAhead* ahead = nullptr) const;

  // Can a step be cut into the keys that its vectors see? And those pieces.
  bool has_segments(const KeyStep& keys) const {
    return !keys.full && keys.gathered == nullptr && visible_.intervals() != nullptr;
  }
  KeySegments segments(const KeyStep& keys) const;

  // `value` wherever a query does not see a key.
  void FillHidden(const KeyStep& keys, float value, float* tile) const {
    if (keys.full) return;
    if (rows_.scattered) {
      visible_.fill_hidden(keys.gathered, keys.count, width_, value, tile);
    } else {
      visible_.fill_hidden(keys.first, keys.first + keys.count, width_, value, tile);
    }
  }

  Index rows() const { return rows_.count; }
  Index row(Index r) const { return rows_.row(r); }
  const StripRows& all_rows() const { return rows_; }
  int vectors() const { return vectors_; }
  Index width() const { return width_; }
  const RowVisibility& visible() const { return visible_; }

 private:
  void LoadQueries(float* widened);
  void ScoresOfSegments(const KeyStep& keys, float* HWY_RESTRICT scores, float* HWY_RESTRICT max,
                        FetchAhead* ahead) const;
  void HideAndRaise(const KeyStep& keys, Index begin, Index end, float* HWY_RESTRICT scores,
                    float* HWY_RESTRICT max) const;
  void AddBiasStrip(const KeyStep& keys, float* HWY_RESTRICT scores) const;
  void AddRows(const KeyStep& keys, float* HWY_RESTRICT scores, float* HWY_RESTRICT scratch) const;

  const ScoreProblem* problem_ = nullptr;
  const float* bias_strip_ = nullptr;  // at key 0 and the strip's first query, if there is one
  Row where_;
  StripRows rows_;
  int vectors_ = 0;
  Index width_ = 0;
  float* q_ = nullptr;  // [D, W]
  RowVisibility visible_;
};

inline void QueryStrip::Load(const ScoreProblem& problem, const BiasStrips& bias, const Row& where,
                             const StripRows& rows, float* memory, float* widened) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  problem_ = &problem;
  where_ = where;
  rows_ = rows;
  vectors_ = static_cast<int>((rows.count + lanes - 1) / lanes);
  width_ = vectors_ * lanes;
  q_ = memory;
  bias_strip_ = !bias.empty() && rows.order == nullptr ? bias.of(where.head) + rows.first : nullptr;
  LoadQueries(widened);
  if (rows.order != nullptr) {
    visible_.load(problem.mask, where, rows.order + rows.first, rows.count, rows.scattered);
  } else {
    Row first = where;
    first.query = rows.first;
    visible_.load(problem.mask, first, rows.count);
  }
}

inline void QueryStrip::LoadQueries(float* widened) {
  const ScoreProblem& p = *problem_;
  const Index depth = p.depth(), stride = p.q.stride(3), step = p.q.stride(4);
  if (rows_.count < width_) std::fill_n(q_, depth * width_, 0.0f);  // lanes past the last compute on zeros
  if (p.stored_q.type != FloatType::float32) {
    const Index offset = ScoreProblem::offset(p.q, where_.batch * p.q.shape()[2] + where_.head);
    const Index* numbers = rows_.order == nullptr ? nullptr : rows_.order + rows_.first;
    WidenRows(p.stored_q, offset, stride, rows_.first, numbers, rows_.count, depth, widened);
    return TransposeIn(widened, depth, rows_.count, depth, 1.0f, q_, width_);
  }
  const float* queries = ScoreProblem::start(p.q, where_.batch, where_.head);
  if (rows_.order == nullptr && step == 1) {
    return TransposeIn(queries + rows_.first * stride, stride, rows_.count, depth, 1.0f, q_, width_);
  }
  for (Index r = 0; r < rows_.count; ++r) {
    const float* from = queries + rows_.row(r) * stride;
    for (Index i = 0; i < depth; ++i) q_[i * width_ + r] = from[i * step];
  }
}

inline void QueryStrip::Scores(const KeyStep& keys, float* HWY_RESTRICT scores, float* HWY_RESTRICT max,
                               float* HWY_RESTRICT scratch, FetchAhead* ahead) const {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), depth = problem_->depth();
  const TileFactor k{keys.rows, keys.stride, 1, keys.in_order ? nullptr : keys.gathered,
                     problem_->scale * kLog2E};
  const bool adds =
      problem_->bias != nullptr || (problem_->mask != nullptr && problem_->mask->is_additive());
  const bool plain = !adds && problem_->softcap == 0;
  if (plain && has_segments(keys)) return ScoresOfSegments(keys, scores, max, ahead);
  if (plain && keys.full) {
    return MultiplyVectors<TileEnd::maximum>(vectors_, k, keys.count, q_, depth, scores, max, ahead);
  }
  MultiplyVectors<TileEnd::scaled>(vectors_, k, keys.count, q_, depth, scores, nullptr, ahead);
  if (problem_->softcap > 0) {
    const FloatVector cap = hn::Set(d, problem_->softcap * kLog2E),
                      inverse = hn::Set(d, 1.0f / (problem_->softcap * kLog2E));
    for (Index i = 0; i < keys.count * width_; i += lanes) {
      const FloatVector s = hn::Load(d, scores + i);
      const FloatVector capped = hn::Mul(cap, hn::Tanh(d, hn::Mul(s, inverse)));
      hn::Store(hn::IfThenElse(hn::IsNaN(s), s, capped), d, scores + i);
    }
  }
  if (adds) {
    if (bias_strip_ != nullptr) AddBiasStrip(keys, scores);
    if (bias_strip_ == nullptr || (problem_->mask != nullptr && problem_->mask->is_additive())) {
      AddRows(keys, scores, scratch);
    }
  }
  FillHidden(keys, -kInfinity, scores);
  for (Index at = 0; at < width_; at += lanes) {
    FloatVector m = hn::Load(d, max + at);
    for (Index j = 0; j < keys.count; ++j) m = hn::Max(m, hn::Load(d, scores + j * width_ + at));
    hn::Store(m, d, max + at);
  }
}

inline KeySegments QueryStrip::segments(const KeyStep& keys) const {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  const Interval* rows = visible_.intervals();
  const auto inside = [&](Index key) { return std::clamp<Index>(key - keys.first, 0, keys.count); };
  Interval hulls[KeySegments::kMostVectors];
  for (int v = 0; v < vectors_; ++v) {
    Interval hull{keys.count, 0};
    for (Index r = v * lanes; r < std::min((v + 1) * lanes, rows_.count); ++r) {
      if (rows[r].begin >= rows[r].end) continue;
      hull = {std::min(hull.begin, inside(rows[r].begin)), std::max(hull.end, inside(rows[r].end))};
    }
    hulls[v] = hull;
  }
  return {hulls, vectors_, {inside(keys.common.begin), inside(keys.common.end)}, keys.count};
}

// Products only where some query of a vector sees a key.
inline void QueryStrip::ScoresOfSegments(const KeyStep& keys, float* HWY_RESTRICT scores,
                                         float* HWY_RESTRICT max, FetchAhead* ahead) const {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats())), depth = problem_->depth();
  Index done = 0;  // keys up to here have scores, hidden or not
  for (const KeySegment& piece : segments(keys)) {
    const TileFactor k{keys.rows + piece.begin * keys.stride, keys.stride, 1, nullptr,
                       problem_->scale * kLog2E};
    const Index count = piece.end - piece.begin, at = piece.first_vector * lanes;
    float* to = scores + piece.begin * width_ + at;
    if (piece.full) {
      HideAndRaise(keys, done, piece.begin, scores, max);
      MultiplyVectors<TileEnd::maximum>(vectors_, k, count, q_, depth, to, max, ahead);
      done = piece.end;
      continue;
    }
    MultiplyColumns<TileEnd::scaled>(piece.vectors, k, count, q_ + at, depth, to, nullptr, width_, ahead);
  }
  HideAndRaise(keys, done, keys.count, scores, max);
}

// For the keys [begin, end) of the step: −inf where they are hidden, computed or not, and the maximum.
inline void QueryStrip::HideAndRaise(const KeyStep& keys, Index begin, Index end,
                                     float* HWY_RESTRICT scores, float* HWY_RESTRICT max) const {
  if (begin >= end) return;
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Interval* rows = visible_.intervals();
  HWY_ALIGN float first[HWY_MAX_BYTES / sizeof(float)], last[HWY_MAX_BYTES / sizeof(float)];
  for (Index at = 0; at < width_; at += lanes) {
    for (Index r = 0; r < lanes; ++r) {
      const bool is_row = at + r < rows_.count;
      const auto inside = [&](Index key) {
        return static_cast<float>(std::clamp<Index>(key - keys.first, 0, keys.count));
      };
      first[r] = is_row ? inside(rows[at + r].begin) : 0.0f;
      last[r] = is_row ? inside(rows[at + r].end) : 0.0f;
    }
    const FloatVector from = hn::Load(d, first), to = hn::Load(d, last), none = hn::Set(d, -kInfinity);
    FloatVector m = hn::Load(d, max + at);
    for (Index j = begin; j < end; ++j) {
      const FloatVector key = hn::Set(d, static_cast<float>(j));
      const auto visible = hn::And(hn::Ge(key, from), hn::Lt(key, to));
      float* HWY_RESTRICT s = scores + j * width_ + at;
      const FloatVector score = hn::IfThenElse(visible, hn::Load(d, s), none);
      hn::Store(score, d, s);
      m = hn::Max(m, score);
    }
    hn::Store(m, d, max + at);
  }
}

// score + value. Two finite numbers stay finite: a mask value of −FLT_MAX pushes a key away, only −inf
// hides it.
HWY_INLINE float AddFinitely(float score, float value) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!std::isfinite(score) || !std::isfinite(value)) return score + value;
  return std::clamp(score + value, -kLargest, kLargest);
}

// scores [lanes] += values [lanes], at any address.
HWY_INLINE void AddVectorFinitely(Floats d, const float* HWY_RESTRICT values, float* HWY_RESTRICT scores) {
  const FloatVector sum = hn::Add(hn::Load(d, scores), hn::LoadU(d, values));
  if (HWY_LIKELY(hn::AllFalse(d, hn::IsInf(sum)))) {
    hn::Store(sum, d, scores);
  } else {
    for (std::size_t r = 0; r < hn::Lanes(d); ++r) scores[r] = AddFinitely(scores[r], values[r]);
  }
}

inline void QueryStrip::AddBiasStrip(const KeyStep& keys, float* HWY_RESTRICT scores) const {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index g = 0; g < keys.count; ++g) {
    const float* HWY_RESTRICT bias = bias_strip_ - keys.key(g);
    for (Index at = 0; at < width_; at += lanes) AddVectorFinitely(d, bias + at, scores + g * width_ + at);
  }
}

// Biases that are not strips, and additive masks: their rows are fetched, then transposed.
inline void QueryStrip::AddRows(const KeyStep& keys, float* HWY_RESTRICT scores,
                                float* HWY_RESTRICT scratch) const {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  float *fetched = scratch, *transposed = scratch + width_ * keys.count;  // [W, keys], [keys, W]
  std::fill_n(fetched, width_ * keys.count, 0.0f);
  Row row = where_;
  const auto add_values = [&](Index begin, Index end, float* out) {
    if (problem_->bias != nullptr && bias_strip_ == nullptr)
      problem_->bias->add_values(row, begin, end, out);
    if (problem_->mask != nullptr && problem_->mask->is_additive()) {
      problem_->mask->add_values(row, begin, end, out);
    }
  };
  for (Index r = 0; r < rows_.count; ++r) {
    row.query = rows_.row(r);
    float* out = fetched + r * keys.count;
    if (keys.gathered == nullptr) {
      add_values(keys.first, keys.first + keys.count, out);
      continue;
    }
    for (Index g = 0; g < keys.count; ++g) add_values(keys.gathered[g], keys.gathered[g] + 1, out + g);
  }
  TransposeIn(fetched, keys.count, width_, keys.count, 1.0f, transposed, width_);
  constexpr float kLargest = std::numeric_limits<float>::max();
  const FloatVector largest = hn::Set(d, kLargest), smallest = hn::Set(d, -kLargest);
  for (Index i = 0; i < keys.count * width_; i += lanes) {
    const FloatVector value = hn::LoadU(d, transposed + i), scaled = hn::Mul(value, hn::Set(d, kLog2E));
    const FloatVector clamped = hn::Min(hn::Max(scaled, smallest), largest);
    hn::StoreU(hn::IfThenElse(hn::IsFinite(value), clamped, value), d, transposed + i);
    AddVectorFinitely(d, transposed + i, scores + i);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_QUERY_STRIP_INL_H_
