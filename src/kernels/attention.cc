// Forward attention, block by block of queries: scores, online softmax and values in one pass over the
// keys.
#include "kernels/attention.h"

#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "kernels/instruction_set.h"
#include "kernels/tile_sizes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/dropout-inl.h"
#include "kernels/exp2-inl.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Some strips of one head. They share each key block while it is in cache.
class QueryBlock {
 public:
  QueryBlock(const AttentionProblem& problem, const BiasStrips& bias, Index head_index,
             const HeadStrips& strips, Index first_strip, Index strip_count);
  void Run();

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

  void RunNeighbours();
  void RunGathered(Strip& strip);
  void Step(Strip& strip, const KeyStep& keys, const float* values, Index value_stride);
  void OnlineSoftmax(Strip& strip, Index keys);
  bool ValuesAreFinite(const float* values, Index stride, Index keys) const;
  void AddValuesOneByOne(const Strip& strip, const KeyStep& keys, const float* values, Index stride);
  void StoreOutput(Strip& strip);
  void KeepWeights(Strip& strip, const KeyStep& keys);
  void StoreWeights(Strip& strip);
  void StoreNanWeights(const Strip& strip, Index r, float* weights) const;
  Index ResultRow(const Strip& strip, Index r) const { return head_index_ * n_ + strip.queries.row(r); }

  const AttentionProblem& p_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index n_, m_, value_width_;
  const Index head_index_;  // over A, B and H together
  const float *keys_, *values_;
  Tensor memory_;         // all the scratch below, in one piece
  float* scores_;         // [kKeyBlock rounded up, W]
  float* row_values_;     // [kKeyBlock]
  float* gathered_keys_;  // [kKeyBlock, D] and
  float* gathered_values_;
  std::vector<Strip> strips_;
  Index hidden_ = 0, full_ = 0, partial_ = 0, gathered_ = 0;
};

QueryBlock::QueryBlock(const AttentionProblem& problem, const BiasStrips& bias, Index head_index,
                       const HeadStrips& strips, Index first_strip, Index strip_count)
    : p_(problem),
      n_(problem.queries()),
      m_(problem.keys()),
      value_width_(problem.value_width()),
      head_index_(head_index),
      strips_(static_cast<std::size_t>(strip_count)) {
  const Row where = problem.row_of(head_index);
  const Index key_head = where.head / problem.group();
  keys_ = ScoreProblem::start(p_.k, where.batch, key_head);
  values_ = ScoreProblem::start(p_.v, where.batch, key_head);
  // Vector loads want whole vectors: every piece below is a multiple of the width.
  const Index width = kStripVectors * lanes_, depth = p_.depth();
  const bool gathers = strips.rows(first_strip + strip_count - 1).scattered;
  memory_ = Tensor::uninitialized({strip_count * (depth + value_width_ + 5) * width + kScoreRows * width +
                                   kKeyBlock * (gathers ? 1 + depth + value_width_ : 1)});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  for (Index s = 0; s < strip_count; ++s) {
    Strip& strip = strips_[static_cast<std::size_t>(s)];
    strip.q = take(depth * width);
    strip.out = take(value_width_ * width);
    strip.max = take(width);
    strip.old_max = take(width);
    strip.sum = take(width);
    strip.drop = take(2 * width);
    strip.queries.Load(p_, bias, where, strips.rows(first_strip + s), strip.q);
    if (p_.dropout > 0) strip.dropout.Load(p_.dropout, p_.seed, head_index, strip.queries, strip.drop);
    std::fill_n(strip.out, value_width_ * width, 0.0f);
    std::fill_n(strip.max, width, -kInfinity);
    std::fill_n(strip.sum, width, 0.0f);
  }
  scores_ = take(kScoreRows * width);
  row_values_ = take(kKeyBlock);
  gathered_keys_ = at;
  gathered_values_ = at + kKeyBlock * depth;
}

void QueryBlock::Run() {
  RunNeighbours();
  for (Strip& strip : strips_) {
    if (strip.queries.all_rows().scattered) RunGathered(strip);
    StoreOutput(strip);
    if (p_.weights != nullptr) StoreWeights(strip);
  }
  if (p_.tiles == nullptr) return;
  p_.tiles->hidden += hidden_;
  p_.tiles->full += full_;
  p_.tiles->partial += partial_;
  p_.tiles->gathered += gathered_;
}

void QueryBlock::RunNeighbours() {
  for (Index begin = 0; begin < m_; begin += kKeyBlock) {
    for (Strip& strip : strips_) {
      if (strip.queries.all_rows().scattered) continue;
      const VisibleSpan span = strip.queries.visible().span(begin, std::min(begin + kKeyBlock, m_));
      ++(span.begin == span.end ? hidden_ : span.full ? full_ : partial_);
      if (span.begin == span.end) continue;
      const KeyStep keys{keys_ + span.begin * p_.k.stride(3),
                         p_.k.stride(3),
                         span.begin,
                         span.end - span.begin,
                         nullptr,
                         span.full};
      Step(strip, keys, values_ + span.begin * p_.v.stride(3), p_.v.stride(3));
    }
  }
}

// The keys that some query of the strip sees, side by side.
void QueryBlock::RunGathered(Strip& strip) {
  const std::vector<Index>& all = strip.queries.visible().keys();
  const Index total = static_cast<Index>(all.size()), depth = p_.depth();
  for (Index begin = 0; begin < total; begin += kKeyBlock) {
    const Index count = std::min(kKeyBlock, total - begin);
    const Index* list = all.data() + begin;
    KeyStep keys{keys_ + list[0] * p_.k.stride(3),
                 p_.k.stride(3),
                 list[0],
                 count,
                 list,
                 strip.queries.visible().all_see(list, count)};
    ++gathered_;
    if (list[count - 1] - list[0] == count - 1) {  // neighbours: read in place
      Step(strip, keys, values_ + list[0] * p_.v.stride(3), p_.v.stride(3));
      continue;
    }
    for (Index g = 0; g < count; ++g) {
      std::copy_n(keys_ + list[g] * p_.k.stride(3), depth, gathered_keys_ + g * depth);
      std::copy_n(values_ + list[g] * p_.v.stride(3), value_width_, gathered_values_ + g * value_width_);
    }
    keys.rows = gathered_keys_;
    keys.stride = depth;
    Step(strip, keys, gathered_values_, value_width_);
  }
}

void QueryBlock::Step(Strip& strip, const KeyStep& keys, const float* values, Index value_stride) {
  const Index width = strip.queries.width();
  std::copy_n(strip.max, width, strip.old_max);
  strip.queries.Scores(keys, scores_, strip.max, row_values_);
  OnlineSoftmax(strip, keys.count);
  if (p_.dropout > 0) strip.dropout.Apply(keys, scores_);
  if (p_.weights != nullptr) KeepWeights(strip, keys);
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (!keys.full && !ValuesAreFinite(values, value_stride, keys.count)) {
    return AddValuesOneByOne(strip, keys, values, value_stride);
  }
  // The sum over these keys starts at zero: three times as exact as adding to `out` key by key, and as
  // fast.
  MultiplyVectors<TileEnd::rescale>(strip.queries.vectors(), {values, 1, value_stride}, value_width_,
                                    scores_, keys.count, strip.out, strip.old_max);
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
    FloatVector sum = hn::Zero(d_);
    float* HWY_RESTRICT s = scores_ + at;
    for (Index j = 0; j < keys; ++j, s += width) {
      const FloatVector p = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, s), safe));
      hn::Store(p, d_, s);
      sum = hn::Add(sum, p);
    }
    const FloatVector factor = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, strip.old_max + at), safe));
    hn::Store(factor, d_, strip.old_max + at);
    hn::Store(hn::MulAdd(hn::Load(d_, strip.sum + at), factor, sum), d_, strip.sum + at);
  }
}

bool QueryBlock::ValuesAreFinite(const float* values, Index stride, Index keys) const {
  FloatVector sum = hn::Zero(d_);  // of x · 0: NaN as soon as one x is not finite
  float rest = 0;
  for (Index j = 0; j < keys; ++j, values += stride) {
    Index c = 0;
    for (; c + lanes_ <= value_width_; c += lanes_) {
      sum = hn::MulAdd(hn::LoadU(d_, values + c), hn::Zero(d_), sum);
    }
    for (; c < value_width_; ++c) rest += values[c] * 0.0f;
  }
  return hn::AllFalse(d_, hn::IsNaN(sum)) && !std::isnan(rest);
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
    const FloatVector inverse =
        hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(d_)), hn::Div(hn::Set(d_, 1.0f), sum));
    hn::Store(inverse, d_, strip.sum + at);
    for (Index c = 0; c < value_width_; ++c) {
      float* out = strip.out + c * width + at;
      hn::Store(hn::Mul(hn::Load(d_, out), inverse), d_, out);
    }
  }
  if (strip.queries.all_rows().order == nullptr) {
    Transpose(strip.out, width, value_width_, rows, p_.output + ResultRow(strip, 0) * value_width_,
              value_width_);
    return;
  }
  for (Index r = 0; r < rows; ++r) {
    float* out = p_.output + ResultRow(strip, r) * value_width_;
    for (Index c = 0; c < value_width_; ++c) out[c] = strip.out[c * width + r];
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
    Transpose(scores_, width, keys.count, rows, p_.weights + ResultRow(strip, 0) * m_ + keys.first, m_);
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

void RunQueryBlock(const AttentionProblem& problem, const BiasStrips& bias, Index head_index,
                   const HeadStrips& strips, Index first_strip, Index strip_count) {
  QueryBlock(problem, bias, head_index, strips, first_strip, strip_count).Run();
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(Lanes);
HWY_EXPORT(RunQueryBlock);

void attention_forward(const AttentionProblem& problem) {
  apply_forced_instruction_set();
  const Index lanes = HWY_DYNAMIC_DISPATCH(Lanes)(), heads = problem.heads();
  if (heads == 0 || problem.queries() == 0) return;
  const BiasStrips bias(problem);
  // Under most masks all heads are cut alike.
  const bool alike = problem.mask == nullptr || !problem.mask->may_scatter();
  std::vector<HeadStrips> strips;
  for (Index head = 0; head < (alike ? 1 : heads); ++head) strips.emplace_back(problem, head, lanes);
  const auto strips_of = [&](Index head) -> const HeadStrips& {
    return strips[static_cast<std::size_t>(alike ? 0 : head)];
  };
  const Index per_block = strips_per_block(problem, kStripVectors * lanes);
  Index blocks = 0;
  for (const HeadStrips& head : strips)
    blocks = std::max(blocks, (head.strips() + per_block - 1) / per_block);
  // Blocks of one head lie side by side, last rows first: under a causal mask those see the most keys.
  parallel_for(heads * blocks, [&](Index item) {
    const Index head = item / blocks, first = (blocks - 1 - item % blocks) * per_block;
    const Index count = std::min(per_block, strips_of(head).strips() - first);
    if (count > 0) HWY_DYNAMIC_DISPATCH(RunQueryBlock)(problem, bias, head, strips_of(head), first, count);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
