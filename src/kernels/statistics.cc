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
#include "kernels/statistics_pieces.h"
#include "kernels/tile_sizes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/statistics_measures-inl.h"
#include "kernels/statistics_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr double kLn2 = 0.69314718055994530942;

// f for 1, 2 or 3 vectors.
#define FOVEA_BY_VECTORS(f, vectors) ((vectors) == 1 ? f<1> : (vectors) == 2 ? f<2> : f<3>)

// One piece: some strips of one head, block by block.
class PieceRun {
 public:
  PieceRun(const StatisticsProblem& problem, const BiasStrips& bias, const StatisticsStrips& strips,
           StatisticsPiece& piece, Index padded_columns);
  void Run();

 private:
  void LayOut();
  void LoadStrip(StatisticsStrip& strip, const StripRows& rows);
  void RunBlock(Index strips);
  void RunKept(StatisticsStrip& strip);
  void RunTwice(Index strips);
  void Scores(const StatisticsStrip& strip, const KeyStep& keys, float* tile);
  void FirstPass(StatisticsStrip& strip, const KeyStep& keys, float* tile);
  void FinishFirstPass(StatisticsStrip& strip);
  void StoreRow(const StatisticsStrip& strip, Index r);
  void SecondPass(StatisticsStrip& strip, const KeyStep& keys);
  void Measure(StatisticsStrip& strip, const KeyStep& keys, float* tile);
  void AddReceivedByKeys(const StatisticsStrip& strip, const KeyStep& keys, const float* tile);
  void StoreDiagonal(const StatisticsStrip& strip, const KeyStep& keys, const float* tile);
  void AddToPicture(const StatisticsStrip& strip, const KeyStep& keys, const float* tile);
  void AddToProduct(const StatisticsStrip& strip, const KeyStep& keys, const float* tile);
  void CutOut(const StatisticsStrip& strip, const KeyStep& keys, const float* tile);
  void FinishSecondPass(StatisticsStrip& strip);

  // ln Σ exp(score) over the keys of this call.
  static double PartLogSum(const StatisticsStrip& strip, Index r) {
    return kLn2 * (static_cast<double>(strip.max[r]) + std::log2(static_cast<double>(strip.sum[r])));
  }
  // Where row r of the strip stands among the results [heads, rows].
  Index ResultRow(const StatisticsStrip& strip, Index r) const {
    return piece_.head * p_.rows() + strip.queries.row(r) - p_.row_begin;
  }

  const StatisticsProblem& p_;
  const BiasStrips& bias_;
  const StatisticsStrips& all_strips_;
  StatisticsPiece& piece_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index m_, padded_columns_;
  const bool second_pass_;
  const Row where_;
  const float* keys_;  // of this head
  Tensor memory_;      // all the scratch below, in one piece
  float* kept_;        // scores between the passes, if those of a strip fit
  Index kept_floats_;
  float* tile_;              // [kScoreRows, W]
  float* new_max_;           // [W]
  float* ones_;              // [W]
  float* history_;           // [steps, W]: the maximum after each step of the strip at work
  float* scratch_;           // [2, kKeyBlock, W]
  float* key_values_;        // [kKeyBlock]
  float* gathered_product_;  // [kKeyBlock, C padded]
  StatisticsStrip strips_[kBlockStrips];
};

PieceRun::PieceRun(const StatisticsProblem& problem, const BiasStrips& bias, const StatisticsStrips& strips,
                   StatisticsPiece& piece, Index padded_columns)
    : p_(problem),
      bias_(bias),
      all_strips_(strips),
      piece_(piece),
      m_(problem.keys()),
      padded_columns_(padded_columns),
      second_pass_(problem.needs_weights()),
      where_(problem.row_of(piece.head)) {
  keys_ = ScoreProblem::start(p_.k, where_.batch, where_.head / p_.group());
  piece_.allocate(problem, strips, padded_columns);
  LayOut();
}

void PieceRun::LayOut() {
  // Vector loads want whole vectors: every piece below is a multiple of the width.
  const Index width = kStripVectors * lanes_, depth = p_.depth();
  const Index cells = p_.picture_mean == nullptr ? 0 : p_.picture_columns;
  const Index per_strip = (depth + 6 + 2 * cells + padded_columns_) * width;
  const Index steps = (m_ + kKeyBlock - 1) / kKeyBlock;
  const bool gathers = p_.mask != nullptr && p_.mask->may_scatter();
  const Index gathered = gathers ? kKeyBlock * padded_columns_ : 0;
  kept_floats_ = second_pass_ ? std::min(kKeptFloats / width, m_) * width : 0;
  memory_ =
      Tensor::uninitialized({kBlockStrips * per_strip + kept_floats_ + (2 * width + lanes_) * kKeyBlock +
                             (kScoreRows + 8 + steps) * width + gathered});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  kept_ = take(kept_floats_ + 6 * width);  // as a register tile may round the number of keys up
  tile_ = take(kScoreRows * width);
  new_max_ = take(width);
  ones_ = take(width);
  std::fill_n(ones_, width, 1.0f);
  history_ = take(steps * width);
  scratch_ = take(2 * kKeyBlock * width);
  key_values_ = take(kKeyBlock * lanes_);
  for (StatisticsStrip& strip : strips_) {
    strip.q = take(depth * width);
    for (float** row :
         {&strip.max, &strip.sum, &strip.log_sum, &strip.factor, &strip.own, &strip.distance}) {
      *row = take(width);
    }
    strip.cell_sum = take(cells * width);
    strip.cell_max = take(cells * width);
    strip.u = take(padded_columns_ * width);
  }
  gathered_product_ = at;
}

void PieceRun::LoadStrip(StatisticsStrip& strip, const StripRows& rows) {
  strip.queries.Load(p_, bias_, where_, rows, strip.q);
  ListSteps(p_, keys_, strip);
  const Index width = strip.queries.width();
  std::fill_n(strip.max, width, -kInfinity);
  for (float* row : {strip.sum, strip.log_sum, strip.distance}) std::fill_n(row, width, 0.0f);
  for (Index r = 0; r < width; ++r) {
    const Index row = strip.queries.row(std::min(r, strip.queries.rows() - 1));
    strip.own[r] = static_cast<float>(p_.own_key(row));
  }
  strip.has_nan = false;
  strip.best.assign(static_cast<std::size_t>(width), -1);
  strip.top_scores.assign(static_cast<std::size_t>(width * p_.top_k), -kInfinity);
  strip.top_keys.assign(static_cast<std::size_t>(width * p_.top_k), -1);
  if (p_.picture_mean != nullptr) {
    std::fill_n(strip.cell_sum, p_.picture_columns * width, 0.0f);
    std::fill_n(strip.cell_max, p_.picture_columns * width, 0.0f);
  }
  if (p_.transposed_product != nullptr) LoadProductRows(p_, where_, padded_columns_, strip);
}

// tile [keys, W]; new_max_ is raised to its maximum. Lanes past the last query see nothing: so they add to
// no sum, whatever the keys are.
void PieceRun::Scores(const StatisticsStrip& strip, const KeyStep& keys, float* tile) {
  strip.queries.Scores(keys, tile, new_max_, scratch_);
  const Index width = strip.queries.width(), rows = strip.queries.rows();
  if (rows == width) return;
  for (Index j = 0; j < keys.count; ++j) {
    std::fill(tile + j * width + rows, tile + (j + 1) * width, -kInfinity);
  }
  std::fill(new_max_ + rows, new_max_ + width, -kInfinity);
}

// tile becomes p against the maximum so far; the row's sums take it in.
void PieceRun::FirstPass(StatisticsStrip& strip, const KeyStep& keys, float* tile) {
  const Index width = strip.queries.width();
  std::copy_n(strip.max, width, new_max_);
  Scores(strip, keys, tile);
  if (p_.position != nullptr && AnyGreater(new_max_, strip.max, width))
    TrackMaximum(strip, keys, new_max_, tile);
  if (p_.top_k > 0) TrackTop(strip, p_.top_k, keys, tile);
  for (Index at = 0; at < width; at += lanes_) {
    OnlineSoftmax(keys.count, width, new_max_ + at, strip.max + at, strip.sum + at, strip.log_sum + at,
                  tile + at);
  }
}

// The normaliser, and all measures that need no weights.
void PieceRun::FinishFirstPass(StatisticsStrip& strip) {
  for (Index r = 0; r < strip.queries.width(); ++r) {
    strip.factor[r] = strip.sum[r] == 0 ? 0.0f : 1.0f / strip.sum[r];
    if (p_.given_logsumexp != nullptr && r < strip.queries.rows() && strip.sum[r] != 0) {
      const double all = static_cast<double>(p_.given_logsumexp[ResultRow(strip, r)]);
      strip.factor[r] *= static_cast<float>(std::exp(PartLogSum(strip, r) - all));
    }
    strip.has_nan |= std::isnan(strip.factor[r]);
  }
  for (Index r = 0; r < strip.queries.rows(); ++r) StoreRow(strip, r);
}

void PieceRun::StoreRow(const StatisticsStrip& strip, Index r) {
  const Index row = ResultRow(strip, r);
  const double sum = static_cast<double>(strip.sum[r]);
  const bool seeing = sum > 0, defined = !std::isnan(sum);
  if (p_.logsumexp != nullptr) {
    p_.logsumexp[row] = sum == 0 ? -kInfinity : static_cast<float>(PartLogSum(strip, r));
  }
  if (p_.entropy != nullptr) {
    double entropy = std::log(sum) - kLn2 * static_cast<double>(strip.log_sum[r]) / sum;
    if (p_.given_logsumexp != nullptr) {  // −Σ s·w ln(s·w) for the share s of the part
      const double log_share = PartLogSum(strip, r) - static_cast<double>(p_.given_logsumexp[row]);
      entropy = std::exp(log_share) * (entropy - log_share);
    }
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
void PieceRun::Measure(StatisticsStrip& strip, const KeyStep& keys, float* tile) {
  // A NaN score makes its row NaN; pairs that are hidden stay 0 even there.
  if (strip.has_nan) strip.queries.FillHidden(keys, 0.0f, tile);
  if (p_.received != nullptr) AddReceivedByKeys(strip, keys, tile);
  if (p_.distance != nullptr) {
    for (Index g = 0; g < keys.count; ++g) key_values_[g] = static_cast<float>(keys.key(g));
    FOVEA_BY_VECTORS(AddDistance, strip.queries.vectors())
    (tile, keys.count, key_values_, strip.own, strip.distance);
  }
  if (p_.diagonal != nullptr) StoreDiagonal(strip, keys, tile);
  if (p_.picture_mean != nullptr) AddToPicture(strip, keys, tile);
  if (p_.transposed_product != nullptr) AddToProduct(strip, keys, tile);
  if (p_.weights != nullptr) CutOut(strip, keys, tile);
}

void PieceRun::AddReceivedByKeys(const StatisticsStrip& strip, const KeyStep& keys, const float* tile) {
  FOVEA_BY_VECTORS(AddReceived, strip.queries.vectors())(tile, keys.count, key_values_);
  float* received = piece_.received.data();
  for (Index g = 0; g < keys.count; ++g) received[keys.key(g)] += key_values_[g];
}

void PieceRun::StoreDiagonal(const StatisticsStrip& strip, const KeyStep& keys, const float* tile) {
  const Index begin = keys.key(0), end = keys.key(keys.count - 1) + 1;
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    const Index own = p_.own_key(strip.queries.row(r));
    if (own < begin || own >= end || std::isnan(strip.sum[r])) continue;
    Index g = own - begin;
    if (keys.gathered != nullptr) {
      g = std::lower_bound(keys.gathered, keys.gathered + keys.count, own) - keys.gathered;
      if (keys.gathered[g] != own) continue;
    }
    p_.diagonal[ResultRow(strip, r)] = tile[g * strip.queries.width() + r];
  }
}

void PieceRun::AddToPicture(const StatisticsStrip& strip, const KeyStep& keys, const float* tile) {
  const Index columns = p_.picture_columns, width = strip.queries.width();
  const auto add = FOVEA_BY_VECTORS(AddToCell, strip.queries.vectors());
  for (Index g = 0; g < keys.count;) {
    const Index cell = (p_.whole_key_begin + keys.key(g)) * columns / p_.picture_keys();
    const Index key_end = cell_begin(cell + 1, columns, p_.picture_keys()) - p_.whole_key_begin;
    Index end = std::min(keys.count, g + key_end - keys.key(g));
    while (keys.key(end - 1) >= key_end) --end;  // keys of a list are further apart
    add(tile + g * width, end - g, strip.cell_sum + cell * width, strip.cell_max + cell * width);
    g = end;
  }
}

// product [keys, C] += tile [keys, W] · u [W, C].
void PieceRun::AddToProduct(const StatisticsStrip& strip, const KeyStep& keys, const float* tile) {
  const Index width = strip.queries.width(), rows = strip.queries.rows();
  const bool in_place = AreNeighbours(keys);
  float* all = piece_.product.data();
  float* out = in_place ? all + keys.key(0) * padded_columns_ : gathered_product_;
  if (!in_place) std::fill_n(out, keys.count * padded_columns_, 0.0f);
  if (strip.u_is_finite || keys.full) {
    for (Index c = 0; c < padded_columns_; c += kStripVectors * lanes_) {
      const Index vectors = std::min<Index>(kStripVectors, (padded_columns_ - c) / lanes_);
      const auto multiply = vectors == 1   ? MultiplyStrip<1, TileEnd::add>
                            : vectors == 2 ? MultiplyStrip<2, TileEnd::add>
                                           : MultiplyStrip<3, TileEnd::add>;
      multiply({tile, width, 1}, keys.count, strip.u + c, padded_columns_, rows, out + c, padded_columns_,
               nullptr, nullptr);
    }
  } else {
    // 0 · NaN is NaN: a row of u that is not finite must not meet the zero weight of a hidden pair.
    std::vector<float> hidden(static_cast<std::size_t>(keys.count * width), 0.0f);
    strip.queries.FillHidden(keys, 1.0f, hidden.data());
    for (Index i = 0; i < keys.count * width; ++i) {
      const Index g = i / width, r = i % width;
      if (r >= rows || hidden[static_cast<std::size_t>(i)] != 0) continue;
      for (Index c = 0; c < p_.u->shape()[4]; ++c) {
        out[g * padded_columns_ + c] += tile[i] * strip.u[r * padded_columns_ + c];
      }
    }
  }
  for (Index g = 0; !in_place && g < keys.count; ++g) {
    for (Index c = 0; c < padded_columns_; ++c) {
      all[keys.key(g) * padded_columns_ + c] += out[g * padded_columns_ + c];
    }
  }
}

void PieceRun::CutOut(const StatisticsStrip& strip, const KeyStep& keys, const float* tile) {
  const Index columns = p_.key_end - p_.key_begin, first = keys.key(0) - p_.key_begin;
  if (AreNeighbours(keys) && strip.queries.all_rows().order == nullptr && first >= 0 &&
      first + keys.count <= columns) {
    return TransposeOut(tile, strip.queries.width(), keys.count, strip.queries.rows(), ones_,
                        p_.weights + ResultRow(strip, 0) * columns + first, columns);
  }
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    float* out = p_.weights + ResultRow(strip, r) * columns;
    for (Index g = 0; g < keys.count; ++g) {
      const Index column = keys.key(g) - p_.key_begin;
      if (column >= 0 && column < columns) out[column] = tile[g * strip.queries.width() + r];
    }
  }
}

// Distances, and the strip's cells into the picture of the piece.
void PieceRun::FinishSecondPass(StatisticsStrip& strip) {
  const Index rows = strip.queries.rows(), width = strip.queries.width(), columns = p_.picture_columns;
  for (Index r = 0; p_.distance != nullptr && r < rows; ++r) {
    p_.distance[ResultRow(strip, r)] = strip.distance[r];
  }
  for (Index r = 0; p_.picture_mean != nullptr && r < rows; ++r) {
    const Index cell_row = p_.picture_row(strip.queries.row(r)) - piece_.first_cell_row;
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
  const Index width = strip.queries.width();
  float *tile = kept_, *then = history_;
  for (const KeyStep& keys : strip.steps) {
    FirstPass(strip, keys, tile);
    then = std::copy_n(strip.max, width, then);
    tile += keys.count * width;
  }
  FinishFirstPass(strip);
  tile = kept_, then = history_;
  for (const KeyStep& keys : strip.steps) {
    for (Index at = 0; at < width; at += lanes_) {
      WeightsFromPowers(keys.count, width, then + at, strip.max + at, strip.factor + at, tile + at);
    }
    Measure(strip, keys, tile);
    then += width;
    tile += keys.count * width;
  }
  FinishSecondPass(strip);
}

// Scores are computed in both passes. Strips of neighbouring keys go through them together, block by block:
// the keys are read once for all of them.
void PieceRun::RunTwice(Index strips) {
  const auto each_step = [&](const auto& body) HWY_ATTR {
    std::size_t next[kBlockStrips] = {};
    for (Index end = kKeyBlock; end < m_ + kKeyBlock; end += kKeyBlock) {
      for (Index s = 0; s < strips; ++s) {
        const std::vector<KeyStep>& steps = strips_[s].steps;
        while (next[s] < steps.size() && steps[next[s]].first < end) body(strips_[s], steps[next[s]++]);
      }
    }
  };
  each_step([&](StatisticsStrip& strip, const KeyStep& keys) HWY_ATTR { FirstPass(strip, keys, tile_); });
  for (Index s = 0; s < strips; ++s) FinishFirstPass(strips_[s]);
  if (!second_pass_) return;
  each_step([&](StatisticsStrip& strip, const KeyStep& keys) HWY_ATTR { SecondPass(strip, keys); });
  for (Index s = 0; s < strips; ++s) FinishSecondPass(strips_[s]);
}

void PieceRun::SecondPass(StatisticsStrip& strip, const KeyStep& keys) {
  // A crop needs its own keys only.
  const bool outside = keys.key(0) >= p_.key_end || keys.key(keys.count - 1) < p_.key_begin;
  if (p_.weights != nullptr && outside) return;
  const Index width = strip.queries.width();
  Scores(strip, keys, tile_);
  for (Index at = 0; at < width; at += lanes_) {
    WeightsFromScores(keys.count, width, strip.max + at, strip.factor + at, tile_ + at);
  }
  Measure(strip, keys, tile_);
}

void PieceRun::RunBlock(Index strips) {
  Index most = 0;
  for (Index s = 0; s < strips; ++s) {
    most = std::max(most, strips_[s].keys_seen * strips_[s].queries.width());
  }
  if (!second_pass_ || most > kept_floats_) return RunTwice(strips);
  for (Index s = 0; s < strips; ++s) RunKept(strips_[s]);
}

void PieceRun::Run() {
  for (Index first = piece_.first_strip; first < piece_.end_strip; first += kBlockStrips) {
    const Index strips = std::min(kBlockStrips, piece_.end_strip - first);
    for (Index s = 0; s < strips; ++s) LoadStrip(strips_[s], all_strips_.rows(piece_.head, first + s));
    RunBlock(strips);
  }
}

Index StatisticsLanes() { return static_cast<Index>(hn::Lanes(Floats())); }

void RunPiece(const StatisticsProblem& problem, const BiasStrips& bias, const StatisticsStrips& strips,
              StatisticsPiece& piece, Index padded_columns) {
  PieceRun(problem, bias, strips, piece, padded_columns).Run();
}

#undef FOVEA_BY_VECTORS

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(StatisticsLanes);
HWY_EXPORT(RunPiece);

void attention_statistics(const StatisticsProblem& problem) {
  apply_forced_instruction_set();
  const Index lanes = HWY_DYNAMIC_DISPATCH(StatisticsLanes)();
  const Index columns = problem.u == nullptr ? 0 : (problem.u->shape()[4] + lanes - 1) / lanes * lanes;
  const BiasStrips bias(problem);
  const StatisticsStrips strips(problem, lanes);
  std::vector<StatisticsPiece> pieces = make_pieces(problem, strips, columns);
  // Last rows first: under a causal mask those see the most keys.
  const Index count = static_cast<Index>(pieces.size());
  parallel_for(count, problem.stop, "attention_statistics", [&](Index item) {
    StatisticsPiece& piece = pieces[static_cast<std::size_t>(count - 1 - item)];
    if (piece.first_strip == piece.end_strip) return;
    HWY_DYNAMIC_DISPATCH(RunPiece)(problem, bias, strips, piece, columns);
  });
  merge_pieces(problem, pieces);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
