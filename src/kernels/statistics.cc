// Statistics of attention, piece by piece of the rows. Pass 1 over the keys finds each row's maximum, sum
// and entropy; pass 2 has the weights, tile by tile, and adds up what needs them.
#include "kernels/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "kernels/instruction_set.h"
#include "kernels/row_visibility.h"
#include "kernels/statistics_pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/statistics_measures-inl.h"
#include "kernels/statistics_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kBlockStrips =
    4;  // strips in a query block: they share each key block while it is in cache
constexpr double kLn2 = 0.69314718055994530942;

// Calls f<1>, f<2> or f<3>.
#define FOVEA_BY_VECTORS(f, vectors) ((vectors) == 1 ? f<1> : (vectors) == 2 ? f<2> : f<3>)

class PieceRun {
 public:
  PieceRun(const StatisticsProblem& problem, StatisticsPiece& piece, Index padded_columns);
  void Run();

 private:
  void LayOut();
  void LoadStrip(StatisticsStrip& strip, Index first_row, Index end_row);
  void LoadProductRows(StatisticsStrip& strip);
  void RunBlock(Index strips);
  void RunKept(StatisticsStrip& strip);
  void RunTwice(Index strips);
  void FirstPass(StatisticsStrip& strip, const KeySpan& span, float* tile);
  void TrackMaximum(StatisticsStrip& strip, const VisibleSpan& span, const float* tile);
  void TrackTop(StatisticsStrip& strip, const VisibleSpan& span, const float* tile);
  void FinishFirstPass(StatisticsStrip& strip);
  void StoreRow(const StatisticsStrip& strip, Index r);
  void Measure(StatisticsStrip& strip, const VisibleSpan& span, float* tile);
  void AddToPicture(StatisticsStrip& strip, const VisibleSpan& span, const float* tile);
  void AddToProduct(StatisticsStrip& strip, const VisibleSpan& span, const float* tile);
  void CutOut(const StatisticsStrip& strip, const VisibleSpan& span, const float* tile);
  void FinishSecondPass(StatisticsStrip& strip);

  // Where row r of the strip stands among the results [heads, rows].
  Index ResultRow(const StatisticsStrip& strip, Index r) const {
    return piece_.head * (p_.row_end - p_.row_begin) + strip.first_row - p_.row_begin + r;
  }
  bool InSecondPass(const VisibleSpan& span) const {  // a crop needs its own keys only
    return only_crop_ ? span.begin < p_.key_end && span.end > p_.key_begin : second_pass_;
  }

  const StatisticsProblem& p_;
  StatisticsPiece& piece_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index n_, m_, padded_columns_;
  const bool second_pass_, only_crop_;
  HeadScores scores_;
  Tensor memory_;  // all the scratch below, in one piece
  float* kept_;    // scores between the passes, if those of a strip fit
  Index kept_floats_;
  float* tile_;     // [kBlockKeys, W]
  float* new_max_;  // [W]
  StatisticsStrip strips_[kBlockStrips];
};

PieceRun::PieceRun(const StatisticsProblem& problem, StatisticsPiece& piece, Index padded_columns)
    : p_(problem),
      piece_(piece),
      n_(problem.q.shape()[3]),
      m_(problem.k.shape()[3]),
      padded_columns_(padded_columns),
      second_pass_(problem.needs_weights()),
      only_crop_(problem.weights != nullptr),
      scores_(problem, piece.head) {
  piece_.allocate(problem, padded_columns);
  LayOut();
}

void PieceRun::LayOut() {
  const Index width = kStripVectors * lanes_, depth = p_.q.shape()[4];
  const Index cells = p_.picture_mean == nullptr ? 0 : p_.picture_columns;
  const Index spans = (m_ + kBlockKeys - 1) / kBlockKeys;
  const Index per_strip = (depth + 6 + 2 * cells + padded_columns_) * width;
  kept_floats_ = second_pass_ ? std::min(kKeptFloats / width, m_) * width : 0;
  memory_ =
      Tensor::uninitialized({kBlockStrips * per_strip + kept_floats_ + (kBlockKeys + 1 + spans) * width});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  kept_ = take(kept_floats_);
  tile_ = take(kBlockKeys * width);
  new_max_ = take(width);
  float* history = take(spans * width);
  for (StatisticsStrip& strip : strips_) {
    strip.q = take(depth * width);
    for (float** row :
         {&strip.max, &strip.sum, &strip.log_sum, &strip.factor, &strip.own, &strip.distance}) {
      *row = take(width);
    }
    strip.cell_sum = take(cells * width);
    strip.cell_max = take(cells * width);
    strip.u = take(padded_columns_ * width);
    strip.history = history;  // used by one strip after the other
  }
}

void PieceRun::LoadStrip(StatisticsStrip& strip, Index first_row, Index end_row) {
  strip.first_row = first_row;
  strip.rows = std::min(kStripVectors * lanes_, end_row - first_row);
  strip.vectors = static_cast<int>((strip.rows + lanes_ - 1) / lanes_);
  strip.width = strip.vectors * lanes_;
  strip.has_nan = false;
  scores_.Load(strip);
  const Index width = strip.width;
  std::fill_n(strip.max, width, kMinusInfinity);
  for (float* row : {strip.sum, strip.log_sum, strip.distance}) std::fill_n(row, width, 0.0f);
  for (Index r = 0; r < width; ++r) strip.own[r] = static_cast<float>(first_row + r + m_ - n_);
  strip.best.assign(static_cast<std::size_t>(width), -1);
  strip.top_scores.assign(static_cast<std::size_t>(width * p_.top_k), kMinusInfinity);
  strip.top_keys.assign(static_cast<std::size_t>(width * p_.top_k), -1);
  if (p_.picture_mean != nullptr) {
    std::fill_n(strip.cell_sum, p_.picture_columns * width, 0.0f);
    std::fill_n(strip.cell_max, p_.picture_columns * width, 0.0f);
  }
  if (p_.transposed_product != nullptr) LoadProductRows(strip);
}

void PieceRun::LoadProductRows(StatisticsStrip& strip) {
  const ConstView& u = *p_.u;
  const float* rows = u.data() + scores_.batch_a() * u.stride(0) + scores_.batch_b() * u.stride(1) +
                      scores_.head() * u.stride(2);
  std::fill_n(strip.u, strip.width * padded_columns_, 0.0f);
  strip.u_is_finite = true;
  for (Index r = 0; r < strip.rows; ++r) {
    for (Index c = 0; c < u.shape()[4]; ++c) {
      const float value = rows[(strip.first_row + r) * u.stride(3) + c * u.stride(4)];
      strip.u[r * padded_columns_ + c] = value;
      strip.u_is_finite &= std::isfinite(value);
    }
  }
}

// tile becomes p against the maximum so far; the row's sums take it in.
void PieceRun::FirstPass(StatisticsStrip& strip, const KeySpan& span, float* tile) {
  std::copy_n(strip.max, strip.width, new_max_);
  scores_.Compute(strip, span.keys, new_max_, tile);
  if (p_.position != nullptr && AnyGreater(new_max_, strip.max, strip.width)) {
    TrackMaximum(strip, span.keys, tile);
  }
  if (p_.top_k > 0) TrackTop(strip, span.keys, tile);
  for (Index at = 0; at < strip.width; at += lanes_) {
    OnlineSoftmax(span.keys.end - span.keys.begin, strip.width, new_max_ + at, strip.max + at,
                  strip.sum + at, strip.log_sum + at, tile + at);
  }
}

// The first key with the new maximum, for the rows whose maximum grew.
void PieceRun::TrackMaximum(StatisticsStrip& strip, const VisibleSpan& span, const float* tile) {
  for (Index r = 0; r < strip.rows; ++r) {
    if (!(new_max_[r] > strip.max[r])) continue;
    Index j = span.begin;
    while (j < span.end && tile[(j - span.begin) * strip.width + r] != new_max_[r]) ++j;
    strip.best[static_cast<std::size_t>(r)] = j < span.end ? j : -1;
  }
}

// Puts each score above the smallest of the k into its place; of equal ones the earlier key stays first.
void PieceRun::TrackTop(StatisticsStrip& strip, const VisibleSpan& span, const float* tile) {
  const Index k = p_.top_k;
  float* least = strip.factor;  // free until the first pass is done
  for (Index r = 0; r < strip.width; ++r)
    least[r] = strip.top_scores[static_cast<std::size_t>(r * k + k - 1)];
  for (Index j = span.begin; j < span.end; ++j, tile += strip.width) {
    if (!AnyGreater(tile, least, strip.width)) continue;
    for (Index r = 0; r < strip.rows; ++r) {
      if (!(tile[r] > least[r])) continue;
      float* scores = strip.top_scores.data() + r * k;
      Index* keys = strip.top_keys.data() + r * k;
      Index at = k - 1;
      for (; at > 0 && scores[at - 1] < tile[r]; --at) {
        scores[at] = scores[at - 1];
        keys[at] = keys[at - 1];
      }
      scores[at] = tile[r];
      keys[at] = j;
      least[r] = scores[k - 1];
    }
  }
}

// The normaliser, and all measures that need no weights.
void PieceRun::FinishFirstPass(StatisticsStrip& strip) {
  for (Index r = 0; r < strip.width; ++r) {
    strip.factor[r] = strip.sum[r] == 0 ? 0.0f : 1.0f / strip.sum[r];
    strip.has_nan |= std::isnan(strip.factor[r]);
  }
  for (Index r = 0; r < strip.rows; ++r) StoreRow(strip, r);
}

void PieceRun::StoreRow(const StatisticsStrip& strip, Index r) {
  const Index row = ResultRow(strip, r);
  const double sum = static_cast<double>(strip.sum[r]);
  const bool seeing = sum > 0, defined = !std::isnan(sum);
  if (p_.logsumexp != nullptr) {
    const double log2_sum = static_cast<double>(strip.max[r]) + std::log2(sum);
    p_.logsumexp[row] = sum == 0 ? kMinusInfinity : static_cast<float>(log2_sum * kLn2);
  }
  if (p_.entropy != nullptr) {
    const double entropy = std::log(sum) - kLn2 * static_cast<double>(strip.log_sum[r]) / sum;
    p_.entropy[row] = sum == 0 ? 0.0f : static_cast<float>(entropy);
  }
  if (p_.maximum != nullptr) p_.maximum[row] = strip.factor[r];
  if (p_.position != nullptr) {
    p_.position[row] = seeing ? static_cast<std::int64_t>(strip.best[static_cast<std::size_t>(r)]) : -1;
  }
  for (Index i = 0; i < p_.top_k; ++i) {
    const auto at = static_cast<std::size_t>(r * p_.top_k + i);
    const float power = std::exp2(strip.top_scores[at] - strip.max[r]);
    const bool present = strip.top_keys[at] >= 0;
    p_.top_keys[row * p_.top_k + i] = defined ? strip.top_keys[at] : -1;
    p_.top_weights[row * p_.top_k + i] = !defined  ? strip.factor[r]
                                         : present ? power * strip.factor[r]
                                                   : 0.0f;
  }
  if (p_.diagonal != nullptr) p_.diagonal[row] = defined ? 0.0f : strip.factor[r];
}

// The tile holds weights now.
void PieceRun::Measure(StatisticsStrip& strip, const VisibleSpan& span, float* tile) {
  const Index keys = span.end - span.begin;
  // A NaN score makes its row NaN; pairs that are hidden stay 0 even there.
  if (strip.has_nan && !span.full) strip.visible.fill_hidden(span.begin, span.end, strip.width, 0.0f, tile);
  if (p_.received != nullptr) {
    FOVEA_BY_VECTORS(AddReceived, strip.vectors)(tile, keys, piece_.received.data() + span.begin);
  }
  if (p_.distance != nullptr) {
    FOVEA_BY_VECTORS(AddDistance, strip.vectors)(tile, keys, span.begin, strip.own, strip.distance);
  }
  if (p_.diagonal != nullptr) {
    for (Index r = 0; r < strip.rows; ++r) {
      const Index own = strip.first_row + r + m_ - n_;
      if (own < span.begin || own >= span.end || std::isnan(strip.sum[r])) continue;
      p_.diagonal[ResultRow(strip, r)] = tile[(own - span.begin) * strip.width + r];
    }
  }
  if (p_.picture_mean != nullptr) AddToPicture(strip, span, tile);
  if (p_.transposed_product != nullptr) AddToProduct(strip, span, tile);
  if (p_.weights != nullptr) CutOut(strip, span, tile);
}

void PieceRun::AddToPicture(StatisticsStrip& strip, const VisibleSpan& span, const float* tile) {
  const Index columns = p_.picture_columns;
  const auto add = FOVEA_BY_VECTORS(AddToCell, strip.vectors);
  for (Index key = span.begin; key < span.end;) {
    const Index cell = key * columns / m_;
    const Index end = std::min(span.end, cell_begin(cell + 1, columns, m_));
    add(tile + (key - span.begin) * strip.width, end - key, strip.cell_sum + cell * strip.width,
        strip.cell_max + cell * strip.width);
    key = end;
  }
}

// product [keys, C] += tile [keys, W] · u [W, C].
void PieceRun::AddToProduct(StatisticsStrip& strip, const VisibleSpan& span, const float* tile) {
  const Index keys = span.end - span.begin, width = strip.width;
  float* out = piece_.product.data() + span.begin * padded_columns_;
  if (strip.u_is_finite || span.full) {
    for (Index c = 0; c < padded_columns_; c += kStripVectors * lanes_) {
      const Index vectors = std::min<Index>(kStripVectors, (padded_columns_ - c) / lanes_);
      const auto multiply = vectors == 1   ? MultiplyStrip<1, TileEnd::add>
                            : vectors == 2 ? MultiplyStrip<2, TileEnd::add>
                                           : MultiplyStrip<3, TileEnd::add>;
      multiply({tile, width, 1}, keys, strip.u + c, padded_columns_, strip.rows, out + c, padded_columns_,
               nullptr);
    }
    return;
  }
  // 0 · NaN is NaN: a row of u that is not finite must not meet the zero weight of a hidden pair.
  std::vector<float> hidden(static_cast<std::size_t>(keys * width), 0.0f);
  strip.visible.fill_hidden(span.begin, span.end, width, 1.0f, hidden.data());
  for (Index i = 0; i < keys * width; ++i) {
    const Index j = i / width, r = i % width;
    if (r >= strip.rows || hidden[static_cast<std::size_t>(i)] != 0) continue;
    for (Index c = 0; c < p_.u->shape()[4]; ++c) {
      out[j * padded_columns_ + c] += tile[i] * strip.u[r * padded_columns_ + c];
    }
  }
}

void PieceRun::CutOut(const StatisticsStrip& strip, const VisibleSpan& span, const float* tile) {
  const Index keys = p_.key_end - p_.key_begin;
  const Index begin = std::max(span.begin, p_.key_begin), end = std::min(span.end, p_.key_end);
  for (Index r = 0; r < strip.rows; ++r) {
    float* out = p_.weights + ResultRow(strip, r) * keys - p_.key_begin;
    for (Index j = begin; j < end; ++j) out[j] = tile[(j - span.begin) * strip.width + r];
  }
}

// Distances, and the strip's cells into the picture of the piece.
void PieceRun::FinishSecondPass(StatisticsStrip& strip) {
  if (p_.distance != nullptr) {
    for (Index r = 0; r < strip.rows; ++r) p_.distance[ResultRow(strip, r)] = strip.distance[r];
  }
  if (p_.picture_mean == nullptr) return;
  const Index columns = p_.picture_columns, width = strip.width;
  for (Index r = 0; r < strip.rows; ++r) {
    const Index cell_row = (strip.first_row + r) * p_.picture_rows / n_ - piece_.first_cell_row;
    float* sum = piece_.cell_sum.data() + cell_row * columns;
    float* max = piece_.cell_max.data() + cell_row * columns;
    for (Index c = 0; c < columns; ++c) {
      sum[c] += strip.cell_sum[c * width + r];
      max[c] = std::max(max[c], strip.cell_max[c * width + r]);
    }
  }
}

// Both passes of one strip, whose scores stay in the cache between them.
void PieceRun::RunKept(StatisticsStrip& strip) {
  const Index width = strip.width;
  float* then = strip.history;
  for (const KeySpan& span : strip.spans) {
    FirstPass(strip, span, kept_ + span.offset * width);
    then = std::copy_n(strip.max, width, then);
  }
  FinishFirstPass(strip);
  then = strip.history;
  for (const KeySpan& span : strip.spans) {
    float* tile = kept_ + span.offset * width;
    for (Index at = 0; at < width; at += lanes_) {
      WeightsFromPowers(span.keys.end - span.keys.begin, width, then + at, strip.max + at,
                        strip.factor + at, tile + at);
    }
    Measure(strip, span.keys, tile);
    then += width;
  }
  FinishSecondPass(strip);
}

// Scores are computed in both passes, key block by key block for all strips: the keys are read once for the
// block of queries.
void PieceRun::RunTwice(Index strips) {
  const auto each_span = [&](const auto& body) HWY_ATTR {
    std::size_t next[kBlockStrips] = {};
    for (Index begin = 0; begin < m_; begin += kBlockKeys) {
      for (Index s = 0; s < strips; ++s) {
        const std::vector<KeySpan>& spans = strips_[s].spans;
        if (next[s] == spans.size() || spans[next[s]].keys.begin >= begin + kBlockKeys) continue;
        body(strips_[s], spans[next[s]++]);
      }
    }
  };
  each_span([&](StatisticsStrip& strip, const KeySpan& span) HWY_ATTR { FirstPass(strip, span, tile_); });
  for (Index s = 0; s < strips; ++s) FinishFirstPass(strips_[s]);
  if (!second_pass_) return;
  each_span([&](StatisticsStrip& strip, const KeySpan& span) HWY_ATTR {
    if (!InSecondPass(span.keys)) return;
    scores_.Compute(strip, span.keys, nullptr, tile_);
    for (Index at = 0; at < strip.width; at += lanes_) {
      WeightsFromScores(span.keys.end - span.keys.begin, strip.width, strip.max + at, strip.factor + at,
                        tile_ + at);
    }
    Measure(strip, span.keys, tile_);
  });
  for (Index s = 0; s < strips; ++s) FinishSecondPass(strips_[s]);
}

void PieceRun::RunBlock(Index strips) {
  Index most = 0;
  for (Index s = 0; s < strips; ++s) most = std::max(most, strips_[s].keys_seen() * strips_[s].width);
  if (!second_pass_ || most > kept_floats_) return RunTwice(strips);
  for (Index s = 0; s < strips; ++s) RunKept(strips_[s]);
}

void PieceRun::Run() {
  for (Index row = piece_.row_begin; row < piece_.row_end;) {
    Index strips = 0;
    for (; strips < kBlockStrips && row < piece_.row_end; ++strips) {
      LoadStrip(strips_[strips], row, piece_.row_end);
      row += strips_[strips].rows;
    }
    RunBlock(strips);
  }
}

Index StatisticsBlockRows() {
  return kBlockStrips * kStripVectors * static_cast<Index>(hn::Lanes(Floats()));
}
Index PadToVectors(Index columns) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  return (columns + lanes - 1) / lanes * lanes;
}

void RunPiece(const StatisticsProblem& problem, StatisticsPiece& piece, Index padded_columns) {
  PieceRun(problem, piece, padded_columns).Run();
}

#undef FOVEA_BY_VECTORS

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(StatisticsBlockRows);
HWY_EXPORT(PadToVectors);
HWY_EXPORT(RunPiece);

void attention_statistics(const StatisticsProblem& problem) {
  apply_forced_instruction_set();
  const Index columns =
      problem.u == nullptr ? 0 : HWY_DYNAMIC_DISPATCH(PadToVectors)(problem.u->shape()[4]);
  std::vector<StatisticsPiece> pieces =
      make_pieces(problem, HWY_DYNAMIC_DISPATCH(StatisticsBlockRows)(), columns);
  // Last rows first: under a causal mask those see the most keys.
  const Index count = static_cast<Index>(pieces.size());
  parallel_for(count, [&](Index item) {
    HWY_DYNAMIC_DISPATCH(RunPiece)(problem, pieces[static_cast<std::size_t>(count - 1 - item)], columns);
  });
  merge_pieces(problem, pieces);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
