// Forward attention, block by block of queries: scores, online softmax and values in one pass over the
// keys.
#include "kernels/attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/bfloat16_attention.h"
#include "kernels/decode.h"
#include "kernels/finite.h"
#include "kernels/instruction_set.h"
#include "kernels/strip_layout.h"
#include "kernels/tile_sizes.h"
#include "mask/intervals.h"

#ifndef FOVEA_KERNELS_BLOCK_ITEM
#define FOVEA_KERNELS_BLOCK_ITEM
namespace fovea::kernels {

// Some strips of one head.
struct BlockItem {
  const HeadStrips* strips;
  Index head_index, first_strip, strip_count;
};

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_BLOCK_ITEM

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/dropout-inl.h"
#include "kernels/exp2-inl.h"
#include "kernels/finite-inl.h"
#include "kernels/key_rows-inl.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Some strips of one head. They share each key block while it is in cache.
class QueryBlock {
 public:
  // Scratch for up to `most_strips`, used again by every Load.
  QueryBlock(const AttentionProblem& problem, const BiasStrips& bias, Index most_strips);
  void Load(const BlockItem& item);
  // The block that will come next on this thread: its queries and first keys and values are fetched early.
  void Announce(const BlockItem& next);
  void Run();
  void Count(TileCounts& tiles) const;
  // All outputs of all blocks so far.
  bool finite() const { return finite_; }

 private:
  struct Strip {
    QueryStrip queries;
    StripDropout dropout;
    // out [Dv, W], and per query the running maximum, the one before, the sum of exponentials.
    float *q = nullptr, *out = nullptr, *max = nullptr, *old_max = nullptr, *sum = nullptr, *drop = nullptr;
    // For weights: the steps taken, and the maximum against which each of them was computed, [steps, W].
    std::vector<KeyStep> steps;
    std::vector<float> step_max;
  };

  Index FirstKey(Row where, const StripRows& rows) const;
  void RunNeighbours();
  void RunGathered(Strip& strip);
  void Step(Strip& strip, const KeyStep& keys, const float* values, Index value_stride);
  bool AddSegments(Strip& strip, const KeyStep& keys, const float* values, Index stride);
  void OnlineSoftmax(Strip& strip, Index keys);
  bool HiddenValuesAreFinite(const Strip& strip, const KeyStep& keys, const float* values,
                             Index stride) const;
  void AddValuesOneByOne(const Strip& strip, const KeyStep& keys, const float* values, Index stride);
  void StoreOutput(Strip& strip);
  void KeepWeights(Strip& strip, const KeyStep& keys);
  void StoreWeights(Strip& strip);
  void StoreNanWeights(const Strip& strip, Index r, float* weights) const;
  Index ResultRow(const Strip& strip, Index r) const { return head_index_ * n_ + strip.queries.row(r); }

  const AttentionProblem& p_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const BiasStrips& bias_;
  const Index n_, m_, value_width_;
  Index head_index_ = 0;  // over A, B and H together
  KeyRows keys_, values_;
  Tensor memory_;   // all the scratch below, in one piece
  float* scores_;   // [kKeyBlock rounded up, W]
  float* scratch_;  // [2, kKeyBlock, W], if rows are added to the scores
  float* ones_;     // [W]
  std::vector<Strip> all_strips_;
  std::span<Strip> strips_;                                   // those of this block
  FetchAhead ahead_, step_ahead_;                             // the next block, the next step
  Index hidden_ = 0, full_ = 0, partial_ = 0, gathered_ = 0;  // steps
  bool finite_ = true;
};

QueryBlock::QueryBlock(const AttentionProblem& problem, const BiasStrips& bias, Index most_strips)
    : p_(problem),
      bias_(bias),
      n_(problem.queries()),
      m_(problem.keys()),
      value_width_(problem.value_width()),
      keys_{p_.k, p_.stored_k},
      values_{p_.v, p_.stored_v},
      all_strips_(static_cast<std::size_t>(most_strips)) {
  // Vector loads want whole vectors: every piece below is a multiple of the width.
  const Index width = kStripVectors * lanes_, depth = p_.depth();
  const bool gathers = p_.mask != nullptr && p_.mask->may_scatter();
  const bool adds_rows = p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive());
  const bool widens_keys = !keys_.is_float() || p_.stored_q.type != FloatType::float32;
  memory_ = Tensor::uninitialized({most_strips * (depth + value_width_ + 5) * width +
                                   (kScoreRows + 1 + (adds_rows ? 2 * kKeyBlock : 0)) * width +
                                   (gathers || !values_.is_float() ? kKeyBlock * value_width_ : 0) +
                                   (widens_keys ? std::max(kKeyBlock, width) * depth : 0)});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  for (Strip& strip : all_strips_) {
    strip.q = take(depth * width);
    strip.out = take(value_width_ * width);
    strip.max = take(width);
    strip.old_max = take(width);
    strip.sum = take(width);
    strip.drop = take(2 * width);
  }
  scores_ = take(kScoreRows * width);
  ones_ = take(width);
  std::fill_n(ones_, width, 1.0f);
  scratch_ = take(adds_rows ? 2 * kKeyBlock * width : 0);
  values_.room = take(gathers || !values_.is_float() ? kKeyBlock * value_width_ : 0);
  keys_.room = at;
}

void QueryBlock::Load(const BlockItem& item) {
  head_index_ = item.head_index;
  const Row where = p_.row_of(head_index_);
  const Index key_head = head_index_ / p_.group();  // over A, B and Hkv together
  keys_.offset = ScoreProblem::offset(p_.k, key_head);
  values_.offset = ScoreProblem::offset(p_.v, key_head);
  strips_ = {all_strips_.data(), static_cast<std::size_t>(item.strip_count)};
  const Index width = kStripVectors * lanes_;
  for (Index s = 0; s < item.strip_count; ++s) {
    Strip& strip = strips_[static_cast<std::size_t>(s)];
    strip.queries.Load(p_, bias_, where, item.strips->rows(item.first_strip + s), strip.q, keys_.room);
    if (p_.dropout > 0) strip.dropout.Load(p_.dropout, p_.seed, head_index_, strip.queries, strip.drop);
    std::fill_n(strip.out, value_width_ * width, 0.0f);
    std::fill_n(strip.max, width, -kInfinity);
    std::fill_n(strip.sum, width, 0.0f);
    strip.steps.clear();
    strip.step_max.clear();
  }
  ahead_ = {};
  const StripRows first = item.strips->rows(item.first_strip);
  if (first.order == nullptr) {  // the output is written in one go at the end
    const Index rows = std::min(item.strip_count * width, n_ - first.first);
    ahead_.Add(p_.output_row(head_index_, first.first), p_.output_row_stride, rows, value_width_);
  }
}

void QueryBlock::Announce(const BlockItem& next) {
  const Row where = p_.row_of(next.head_index);
  const StripRows first = next.strips->rows(next.first_strip);
  const Index key_head = next.head_index / p_.group(), begin = FirstKey(where, first);
  const Index keys = std::min(m_ - begin, kKeyBlock);
  const Index queries = std::min(n_ - first.first, first.count * next.strip_count);
  if (p_.q.stride(4) == 1 && p_.stored_q.type == FloatType::float32) {
    ahead_.Add(ScoreProblem::start(p_.q, where.batch, where.head) + first.first * p_.q.stride(3),
               p_.q.stride(3), queries, p_.depth());
  }
  keys_.Fetch(ScoreProblem::offset(p_.k, key_head), begin, keys, ahead_);
  values_.Fetch(ScoreProblem::offset(p_.v, key_head), begin, keys, ahead_);
}

// Of the step with which these rows will begin, as far as their first one tells.
Index QueryBlock::FirstKey(Row where, const StripRows& rows) const {
  if (p_.mask == nullptr || p_.mask->prefers_bits()) return 0;
  ScratchIntervals visible;
  where.query = rows.row(0);
  p_.mask->visible_keys(where, *visible);
  return (*visible).empty() ? 0 : (*visible).front().begin / kKeyBlock * kKeyBlock;
}

void QueryBlock::Run() {
  RunNeighbours();
  for (Strip& strip : strips_) {
    if (strip.queries.all_rows().scattered) RunGathered(strip);
    StoreOutput(strip);
    if (p_.weights != nullptr) StoreWeights(strip);
  }
}

void QueryBlock::Count(TileCounts& tiles) const {
  tiles.hidden += hidden_;
  tiles.full += full_;
  tiles.partial += partial_;
  tiles.gathered += gathered_;
}

void QueryBlock::RunNeighbours() {
  Interval hull{m_, 0};
  Index strips = 0;
  for (const Strip& strip : strips_) {
    if (strip.queries.all_rows().scattered) continue;
    const Interval seen = strip.queries.visible().hull(m_);
    hull = {std::min(hull.begin, seen.begin), std::max(hull.end, seen.end)};
    ++strips;
  }
  const Index first = hull.begin / kKeyBlock * kKeyBlock, steps = (m_ + kKeyBlock - 1) / kKeyBlock;
  hidden_ += strips * (steps - std::max<Index>(0, (hull.end - first + kKeyBlock - 1) / kKeyBlock));
  for (Index begin = first; begin < hull.end; begin += kKeyBlock) {
    const Index next = begin + kKeyBlock, count = std::min(kKeyBlock, m_ - next);
    step_ahead_ = {};
    step_ahead_.Then(&ahead_);
    keys_.Fetch(keys_.offset, next, count, step_ahead_);
    values_.Fetch(values_.offset, next, count, step_ahead_);
    const Index here = std::min(kKeyBlock, hull.end - begin);
    const FloatRows k = keys_.Neighbours(begin, here), v = values_.Neighbours(begin, here);
    for (Strip& strip : strips_) {
      if (strip.queries.all_rows().scattered) continue;
      const VisibleSpan span = strip.queries.visible().span(begin, std::min(begin + kKeyBlock, m_));
      ++(span.begin == span.end ? hidden_ : span.full ? full_ : partial_);
      if (span.begin == span.end) continue;
      const KeyStep keys{k.data + (span.begin - begin) * k.stride,
                         k.stride,
                         span.begin,
                         span.end - span.begin,
                         nullptr,
                         span.full,
                         span.common};
      Step(strip, keys, v.data + (span.begin - begin) * v.stride, v.stride);
    }
  }
}

// Only the keys that some query of the strip sees. Keys of float32 are read where they are; others, and
// values, are brought side by side, unless they are neighbours.
void QueryBlock::RunGathered(Strip& strip) {
  const RowVisibility& visible = strip.queries.visible();
  const Index total = static_cast<Index>(visible.keys().size());
  for (Index begin = 0; begin < total; begin += kKeyBlock) {
    const Index count = std::min(kKeyBlock, total - begin);
    const Index* list = visible.keys().data() + begin;
    const FloatRows k =
        keys_.is_float() ? FloatRows{keys_.row(0), p_.k.stride(3)} : keys_.Gathered(list, count);
    const KeyStep keys{k.data, k.stride,         list[0], count, list, visible.all_see(list, count),
                       {},     !keys_.is_float()};
    const FloatRows v = values_.Gathered(list, count);
    ++gathered_;
    Step(strip, keys, v.data, v.stride);
  }
}

void QueryBlock::Step(Strip& strip, const KeyStep& keys, const float* values, Index value_stride) {
  const Index width = strip.queries.width();
  std::copy_n(strip.max, width, strip.old_max);
  strip.queries.Scores(keys, scores_, strip.max, scratch_, &step_ahead_);
  OnlineSoftmax(strip, keys.count);
  if (p_.dropout > 0) strip.dropout.Apply(keys, scores_);
  if (p_.weights != nullptr) KeepWeights(strip, keys);
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (!keys.full && !HiddenValuesAreFinite(strip, keys, values, value_stride)) {
    return AddValuesOneByOne(strip, keys, values, value_stride);
  }
  // The sum over these keys starts at zero: three times as exact as adding to `out` key by key, and as
  // fast.
  if (strip.queries.has_segments(keys) && AddSegments(strip, keys, values, value_stride)) return;
  MultiplyVectors<TileEnd::rescale>(strip.queries.vectors(), {values, 1, value_stride}, value_width_,
                                    scores_, keys.count, strip.out, strip.old_max, &step_ahead_);
}

// Values only for the vectors of queries that see their keys. False, and nothing done, if no keys are for
// all vectors: what was summed before has to be rescaled for each.
bool QueryBlock::AddSegments(Strip& strip, const KeyStep& keys, const float* values, Index stride) {
  const Index width = strip.queries.width();
  const int vectors = strip.queries.vectors();
  const KeySegments segments = strip.queries.segments(keys);
  Interval all{0, 0};  // neighbouring pieces for all vectors
  for (const KeySegment& piece : segments) {
    if (piece.vectors != vectors) continue;
    if (all.begin == all.end) all.begin = all.end = piece.begin;
    if (all.end == piece.begin) all.end = piece.end;
  }
  if (all.begin == all.end) return false;
  MultiplyVectors<TileEnd::rescale>(vectors, {values + all.begin * stride, 1, stride}, value_width_,
                                    scores_ + all.begin * width, all.end - all.begin, strip.out,
                                    strip.old_max, &step_ahead_);
  for (const KeySegment& piece : segments) {
    if (all.begin <= piece.begin && piece.end <= all.end) continue;
    const Index at = piece.first_vector * lanes_;
    MultiplyColumns<TileEnd::add>(piece.vectors, {values + piece.begin * stride, 1, stride}, value_width_,
                                  scores_ + piece.begin * width + at, piece.end - piece.begin,
                                  strip.out + at, nullptr, width, &step_ahead_);
  }
  return true;
}

// A row that has seen nothing yet has maximum −inf; taking 0 instead avoids −inf − −inf.
HWY_INLINE FloatVector FiniteMaximum(Floats d, FloatVector max) {
  return hn::IfThenElse(hn::Eq(max, hn::Set(d, -kInfinity)), hn::Zero(d), max);
}

// scores_ become exponentials against the new maximum; old_max becomes the factor that rescales what was
// summed before.
void QueryBlock::OnlineSoftmax(Strip& strip, Index keys) {
  const Index width = strip.queries.width();
  for (Index at = 0; at < width; at += lanes_) {
    const FloatVector safe = FiniteMaximum(d_, hn::Load(d_, strip.max + at));
    float* HWY_RESTRICT s = scores_ + at;
    const auto exponential = [&](Index j) HWY_ATTR {
      const FloatVector p = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, s + j * width), safe));
      hn::Store(p, d_, s + j * width);
      return p;
    };
    // Four sums: a chain of 128 additions would round more than all the rest.
    FloatVector sum0 = hn::Zero(d_), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    Index j = 0;
    for (; j + 4 <= keys; j += 4) {
      sum0 = hn::Add(sum0, exponential(j));
      sum1 = hn::Add(sum1, exponential(j + 1));
      sum2 = hn::Add(sum2, exponential(j + 2));
      sum3 = hn::Add(sum3, exponential(j + 3));
    }
    for (; j < keys; ++j) sum0 = hn::Add(sum0, exponential(j));
    const FloatVector sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    const FloatVector factor = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, strip.old_max + at), safe));
    hn::Store(factor, d_, strip.old_max + at);
    hn::Store(hn::MulAdd(hn::Load(d_, strip.sum + at), factor, sum), d_, strip.sum + at);
  }
}

// Of all keys that may be hidden from some query.
bool QueryBlock::HiddenValuesAreFinite(const Strip& strip, const KeyStep& keys, const float* values,
                                       Index stride) const {
  // Sums of x · 0: NaN as soon as one x is not finite. Two of them, for the latency of the addition.
  FloatVector even = hn::Zero(d_), odd = even;
  float rest = 0;
  for (Index g = 0; g < keys.count; ++g) {
    if (keys.gathered == nullptr && keys.first + g == keys.common.begin &&
        keys.common.begin < keys.common.end) {
      g = keys.common.end - keys.first - 1;
      continue;
    }
    if (keys.gathered != nullptr && strip.queries.visible().all_see(keys.gathered + g, 1)) continue;
    const float* value = values + g * stride;
    Index c = 0;
    for (; c + 2 * lanes_ <= value_width_; c += 2 * lanes_) {
      even = hn::MulAdd(hn::LoadU(d_, value + c), hn::Zero(d_), even);
      odd = hn::MulAdd(hn::LoadU(d_, value + c + lanes_), hn::Zero(d_), odd);
    }
    for (; c < value_width_; ++c) rest += value[c] * 0.0f;
  }
  return hn::AllFalse(d_, hn::IsNaN(hn::Add(even, odd))) && !std::isnan(rest);
}

// The rare case of a hidden value that is not finite: pair by visible pair.
void QueryBlock::AddValuesOneByOne(const Strip& strip, const KeyStep& keys, const float* values,
                                   Index stride) {
  const Index width = strip.queries.width();
  std::vector<float> hidden(static_cast<std::size_t>(keys.count * width), 0.0f);
  strip.queries.FillHidden(keys, 1.0f, hidden.data());
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    for (Index c = 0; c < value_width_; ++c) {
      float sum = 0;
      for (Index j = 0; j < keys.count; ++j) {
        const Index at = j * width + r;
        if (hidden[static_cast<std::size_t>(at)] == 0) sum += scores_[at] * values[j * stride + c];
      }
      float& out = strip.out[c * width + r];
      out = out * strip.old_max[r] + sum;
    }
  }
}

// Rows of the output and the log-sum-exp; sum becomes its inverse. A row that saw nothing has sum 0 and
// gives zeros.
void QueryBlock::StoreOutput(Strip& strip) {
  const Index width = strip.queries.width(), rows = strip.queries.rows();
  for (Index r = 0; p_.logsumexp != nullptr && r < rows; ++r) {
    const double log2_sum =
        static_cast<double>(strip.max[r]) + std::log2(static_cast<double>(strip.sum[r]));
    p_.logsumexp[ResultRow(strip, r)] =
        strip.sum[r] == 0 ? -kInfinity : static_cast<float>(log2_sum * 0.69314718055994530942);
  }
  for (Index at = 0; at < width; at += lanes_) {
    const FloatVector sum = hn::Load(d_, strip.sum + at);
    const FloatVector inverse = hn::Div(hn::Set(d_, 1.0f), sum);
    hn::Store(hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(d_)), inverse), d_, strip.sum + at);
  }
  if (strip.queries.all_rows().order == nullptr) {
    float* out = p_.output_row(head_index_, strip.queries.row(0));
    TransposeOut(strip.out, width, value_width_, rows, strip.sum, out, p_.output_row_stride);
    finite_ = RowsAreFinite(out, p_.output_row_stride, rows, value_width_) && finite_;
    return;
  }
  for (Index r = 0; r < rows; ++r) {
    float* out = p_.output_row(head_index_, strip.queries.row(r));
    for (Index c = 0; c < value_width_; ++c) out[c] = strip.out[c * width + r] * strip.sum[r];
    finite_ = RowsAreFinite(out, value_width_, 1, value_width_) && finite_;
  }
}

// The exponentials of this step go out as they are; StoreWeights brings all steps to the last maximum.
void QueryBlock::KeepWeights(Strip& strip, const KeyStep& keys) {
  const Index width = strip.queries.width(), rows = strip.queries.rows();
  if (strip.steps.empty() && p_.mask != nullptr) {
    for (Index r = 0; r < rows; ++r) std::fill_n(p_.weights + ResultRow(strip, r) * m_, m_, 0.0f);
  }
  strip.steps.push_back(keys);
  strip.step_max.insert(strip.step_max.end(), strip.max, strip.max + width);
  if (strip.queries.all_rows().order == nullptr) {
    TransposeOut(scores_, width, keys.count, rows, ones_,
                 p_.weights + ResultRow(strip, 0) * m_ + keys.first, m_);
    return;
  }
  for (Index r = 0; r < rows; ++r) {
    float* weights = p_.weights + ResultRow(strip, r) * m_;
    for (Index g = 0; g < keys.count; ++g) weights[keys.key(g)] = scores_[g * width + r];
  }
}

void QueryBlock::StoreWeights(Strip& strip) {
  const Index width = strip.queries.width();
  const Index steps = static_cast<Index>(strip.steps.size());
  for (Index at = 0; at < steps * width; at += lanes_) {
    const FloatVector last = FiniteMaximum(d_, hn::Load(d_, strip.max + at % width));
    float* factor = strip.step_max.data() + at;
    const FloatVector power = Exp2NonPositive(d_, hn::Sub(hn::LoadU(d_, factor), last));
    hn::StoreU(hn::Mul(power, hn::Load(d_, strip.sum + at % width)), d_, factor);
  }
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    float* weights = p_.weights + ResultRow(strip, r) * m_;
    if (steps == 0) std::fill_n(weights, m_, 0.0f);
    if (std::isnan(strip.sum[r])) StoreNanWeights(strip, r, weights);
    for (Index s = 0; s < steps && !std::isnan(strip.sum[r]); ++s) {
      const KeyStep& keys = strip.steps[static_cast<std::size_t>(s)];
      const float factor = strip.step_max[static_cast<std::size_t>(s * width + r)];
      if (keys.gathered == nullptr) {
        float* w = weights + keys.first;
        for (Index j = 0; j < keys.count; ++j) w[j] *= factor;
      } else {
        for (Index g = 0; g < keys.count; ++g) weights[keys.gathered[g]] *= factor;
      }
    }
  }
}

// A score that is NaN makes all visible weights of its row NaN; hidden ones stay 0 even there.
void QueryBlock::StoreNanWeights(const Strip& strip, Index r, float* weights) const {
  Row row = p_.row_of(head_index_);
  row.query = strip.queries.row(r);
  Intervals visible{{0, m_}};
  if (p_.mask != nullptr) p_.mask->visible_keys(row, visible);
  std::fill_n(weights, m_, 0.0f);
  for (const Interval& keys : visible) {
    std::fill(weights + keys.begin, weights + keys.end, std::numeric_limits<float>::quiet_NaN());
  }
}

Index Lanes() { return static_cast<Index>(hn::Lanes(Floats())); }

// True if all outputs are finite.
bool RunQueryBlocks(const AttentionProblem& problem, const BiasStrips& bias, const BlockItem* items,
                    Index count) {
  Index most_strips = 0;
  for (Index i = 0; i < count; ++i) most_strips = std::max(most_strips, items[i].strip_count);
  QueryBlock block(problem, bias, most_strips);
  for (Index i = 0; i < count; ++i) {
    block.Load(items[i]);
    if (i + 1 < count) block.Announce(items[i + 1]);
    block.Run();
  }
  if (problem.tiles != nullptr) block.Count(*problem.tiles);
  return block.finite();
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(Lanes);
HWY_EXPORT(RunQueryBlocks);

Index strip_width() {
  apply_forced_instruction_set();
  return kStripVectors * HWY_DYNAMIC_DISPATCH(Lanes)();
}

namespace {

constexpr Index kPieceOfOutput = 1 << 16;  // floats, worth a thread's while

// Of all rows of the output; they lie in one piece where heads are side by side or below each other.
bool output_is_finite(const AttentionProblem& p) {
  const Index count = p.heads() * p.queries() * p.value_width();
  if (count < 2 * kPieceOfOutput) return all_finite(p.output, count);
  std::atomic<bool> finite = true;
  parallel_for((count + kPieceOfOutput - 1) / kPieceOfOutput, [&](Index piece) {
    const Index begin = piece * kPieceOfOutput;
    if (!all_finite(p.output + begin, std::min(kPieceOfOutput, count - begin))) finite = false;
  });
  return finite;
}

}  // namespace

bool attention_forward(const AttentionProblem& problem) {
  apply_forced_instruction_set();
  const Index lanes = HWY_DYNAMIC_DISPATCH(Lanes)(), heads = problem.heads();
  if (heads == 0 || problem.queries() == 0) return true;
  if (problem.precision == Precision::bfloat16) {
    bfloat16_attention_forward(problem, best_tile_unit());
    return output_is_finite(problem);
  }
  if (is_decoding(problem)) {
    attention_decode(problem, key_order());
    return output_is_finite(problem);
  }
  const BiasStrips bias(problem);
  // Under most masks all heads are cut alike.
  const bool alike = problem.mask == nullptr || !problem.mask->may_scatter();
  std::vector<HeadStrips> strips;
  for (Index head = 0; head < (alike ? 1 : heads); ++head) strips.emplace_back(problem, head, lanes);
  const Index per_block = strips_per_block(problem, kStripVectors * lanes);
  // Blocks of one head lie side by side, last rows first: under a causal mask those see the most keys.
  std::vector<BlockItem> items;
  for (Index head = 0; head < heads; ++head) {
    const HeadStrips& cut = strips[static_cast<std::size_t>(alike ? 0 : head)];
    for (Index first = (cut.strips() - 1) / per_block * per_block; first >= 0; first -= per_block) {
      items.push_back({&cut, head, first, std::min(per_block, cut.strips() - first)});
    }
  }
  const Index count = static_cast<Index>(items.size());
  const Index per_task = std::clamp<Index>(count / (8 * thread_count()), 1, 16);
  std::atomic<bool> finite = true;
  parallel_for((count + per_task - 1) / per_task, [&](Index task) {
    const Index first = task * per_task, blocks = std::min(per_task, count - first);
    if (!HWY_DYNAMIC_DISPATCH(RunQueryBlocks)(problem, bias, items.data() + first, blocks)) finite = false;
  });
  return finite;
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
