// Forward attention, block by block of queries: scores, online softmax and values in one pass over the
// keys.
#include "kernels/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/dropout.h"
#include "core/parallel.h"
#include "kernels/instruction_set.h"
#include "kernels/row_visibility.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/exp2-inl.h"
#include "kernels/strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504088896341f;
constexpr int kVectors = 3;       // NV of a whole strip
constexpr Index kStrips = 4;      // strips in a query block: they share each key block while it is in cache
constexpr Index kKeyBlock = 128;  // keys in a block: its keys and values stay in L2

// One query block of one head. Scores live in units of log2: scale · log2(e) is folded into q.
class QueryBlock {
 public:
  QueryBlock(const AttentionProblem& problem, Index head_index, Index first_row);
  void Run();

 private:
  // W = vectors · lanes queries, transposed: q [D, W], out [Dv, W], and per query the running maximum,
  // the sum of exponentials, the last rescaling and the dropout keys.
  struct Strip {
    Index first_row = 0, rows = 0;
    int vectors = kVectors;
    float *q = nullptr, *out = nullptr, *max = nullptr, *sum = nullptr, *alpha = nullptr;
    std::uint32_t *drop_first = nullptr, *drop_second = nullptr;
    RowVisibility visible;
  };

  void LayOutStrips(Index first_row);
  void LoadStrip(Strip& strip);
  void Scores(const Strip& strip, const VisibleSpan& span);
  void AddRows(const Strip& strip, const VisibleSpan& span);
  void OnlineSoftmax(Strip& strip, Index keys);
  void Drop(const Strip& strip, const VisibleSpan& span);
  bool BlockValuesAreFinite(Index key);
  void AddValues(const Strip& strip, const VisibleSpan& span);
  void AddValuesOneByOne(const Strip& strip, const VisibleSpan& span);
  void StoreStrip(Strip& strip);
  void StoreWeights(Strip& strip);

  const float* Key(Index j) const { return keys_ + j * p_.k.stride(3); }
  const float* Value(Index j) const { return values_ + j * p_.v.stride(3); }
  Index Width(const Strip& strip) const { return strip.vectors * lanes_; }

  const AttentionProblem& p_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index n_, m_, depth_, value_width_;
  const Index head_index_;  // over A, B and H together
  Row row_;                 // batch and head of this block
  const float *queries_, *keys_, *values_;
  Tensor memory_;      // all the scratch below, in one piece
  float* scores_;      // [kKeyBlock, W]
  float* row_values_;  // [kKeyBlock]: bias and additive mask of one row
  Strip strips_[kStrips];
  Index strip_count_ = 0;
  Index checked_block_ = -1;
  bool checked_block_is_finite_ = true;
};

QueryBlock::QueryBlock(const AttentionProblem& problem, Index head_index, Index first_row)
    : p_(problem),
      n_(problem.q.shape()[3]),
      m_(problem.k.shape()[3]),
      depth_(problem.q.shape()[4]),
      value_width_(problem.v.shape()[4]),
      head_index_(head_index) {
  const Index heads = p_.q.shape()[2];
  const Index head = head_index % heads;
  const Index key_head = head / (heads / p_.k.shape()[2]);
  const Index batch = head_index / heads;
  const Index a = batch / p_.q.shape()[1], b = batch % p_.q.shape()[1];
  row_ = {batch, head, 0, n_, m_};
  const auto start = [&](const ConstView& x, Index h) {  // not &x(a, b, h): an empty view may be null
    return x.data() + a * x.stride(0) + b * x.stride(1) + h * x.stride(2);
  };
  queries_ = start(p_.q, head);
  keys_ = start(p_.k, key_head);
  values_ = start(p_.v, key_head);
  LayOutStrips(first_row);
}

void QueryBlock::LayOutStrips(Index first_row) {
  const Index width = kVectors * lanes_;
  const Index per_strip = (depth_ + value_width_ + 5) * width;
  // Vector loads want whole vectors: every piece below is a multiple of the width.
  memory_ = Tensor::uninitialized({kStrips * per_strip + kKeyBlock * width + kKeyBlock});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  for (Index row = first_row; row < n_ && strip_count_ < kStrips; row += width) {
    Strip& strip = strips_[strip_count_++];
    strip.first_row = row;
    strip.rows = std::min(width, n_ - row);
    strip.vectors = static_cast<int>((strip.rows + lanes_ - 1) / lanes_);
    strip.q = take(depth_ * width);
    strip.out = take(value_width_ * width);
    strip.max = take(width);
    strip.sum = take(width);
    strip.alpha = take(width);
    strip.drop_first = reinterpret_cast<std::uint32_t*>(take(width));
    strip.drop_second = reinterpret_cast<std::uint32_t*>(take(width));
  }
  scores_ = take(kKeyBlock * width);
  row_values_ = take(kKeyBlock);
}

void QueryBlock::LoadStrip(Strip& strip) {
  const Index width = Width(strip);
  const float factor = p_.scale * kLog2E;
  std::fill_n(strip.q, depth_ * width, 0.0f);  // lanes past the last query compute on zeros
  for (Index r = 0; r < strip.rows; ++r) {
    const float* from = queries_ + (strip.first_row + r) * p_.q.stride(3);
    for (Index i = 0; i < depth_; ++i) strip.q[i * width + r] = from[i * p_.q.stride(4)] * factor;
  }
  std::fill_n(strip.out, value_width_ * width, 0.0f);
  std::fill_n(strip.max, width, -kInfinity);
  std::fill_n(strip.sum, width, 0.0f);
  Row first = row_;
  first.query = strip.first_row;
  strip.visible.load(p_.mask, first, strip.rows);
  if (p_.dropout == 0) return;
  for (Index r = 0; r < width; ++r) {
    const DropoutRow keys = dropout_row(p_.seed, head_index_, strip.first_row + r);
    strip.drop_first[r] = keys.first;
    strip.drop_second[r] = keys.second;
  }
}

// scores_ [span, W]: everything of the formula up to the softmax, hidden pairs as −inf.
void QueryBlock::Scores(const Strip& strip, const VisibleSpan& span) {
  const Index keys = span.end - span.begin;
  const auto tile = strip.vectors == 1 ? ScoreTile<1> : strip.vectors == 2 ? ScoreTile<2> : ScoreTile<3>;
  tile(strip.q, depth_, Key(span.begin), p_.k.stride(3), keys, scores_);
  const Index width = Width(strip);
  if (p_.softcap > 0) {
    const FloatVector cap = hn::Set(d_, p_.softcap * kLog2E),
                      inverse = hn::Set(d_, 1.0f / (p_.softcap * kLog2E));
    for (Index i = 0; i < keys * width; i += lanes_) {
      const FloatVector s = hn::Load(d_, scores_ + i);
      const FloatVector capped = hn::Mul(cap, hn::Tanh(d_, hn::Mul(s, inverse)));
      hn::Store(hn::IfThenElse(hn::IsNaN(s), s, capped), d_, scores_ + i);
    }
  }
  if (p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive())) AddRows(strip, span);
  if (!span.full) strip.visible.fill_hidden(span.begin, span.end, width, -kInfinity, scores_);
}

// score + value · log2(e). Two finite numbers stay finite: a mask value of −FLT_MAX pushes a key away, only
// −inf hides it.
HWY_INLINE float AddFinitely(float score, float value) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!std::isfinite(score) || !std::isfinite(value)) return score + value;
  return std::clamp(score + std::clamp(value * kLog2E, -kLargest, kLargest), -kLargest, kLargest);
}

void QueryBlock::AddRows(const Strip& strip, const VisibleSpan& span) {
  const Index width = Width(strip);
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
      float& score = scores_[j * width + r];
      score = AddFinitely(score, row_values_[j]);
    }
  }
}

// A row that has seen nothing yet has maximum −inf; taking 0 instead avoids −inf − −inf.
HWY_INLINE FloatVector FiniteMaximum(Floats d, FloatVector max) {
  return hn::IfThenElse(hn::Eq(max, hn::Set(d, -kInfinity)), hn::Zero(d), max);
}

// scores_ become exponentials against the new maximum; alpha rescales what was summed before.
void QueryBlock::OnlineSoftmax(Strip& strip, Index keys) {
  const Index width = Width(strip);
  for (Index at = 0; at < width; at += lanes_) {
    const FloatVector old_max = hn::Load(d_, strip.max + at);
    FloatVector max = old_max;
    for (Index j = 0; j < keys; ++j) max = hn::Max(max, hn::Load(d_, scores_ + j * width + at));
    const FloatVector safe = FiniteMaximum(d_, max);
    FloatVector sum = hn::Zero(d_);
    for (Index j = 0; j < keys; ++j) {
      float* s = scores_ + j * width + at;
      const FloatVector p = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, s), safe));
      hn::Store(p, d_, s);
      sum = hn::Add(sum, p);
    }
    const FloatVector alpha = Exp2NonPositive(d_, hn::Sub(old_max, safe));
    hn::Store(alpha, d_, strip.alpha + at);
    hn::Store(hn::MulAdd(hn::Load(d_, strip.sum + at), alpha, sum), d_, strip.sum + at);
    hn::Store(max, d_, strip.max + at);
  }
}

// The vector form of dropout_bits; the denominator was summed before.
void QueryBlock::Drop(const Strip& strip, const VisibleSpan& span) {
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const auto m1 = hn::Set(du, kDropoutMultiplier1), m2 = hn::Set(du, kDropoutMultiplier2);
  const auto threshold = hn::Set(di, static_cast<std::int32_t>(dropout_threshold(p_.dropout)));
  const FloatVector kept_factor = hn::Set(d_, 1.0f / (1.0f - p_.dropout));
  const Index width = Width(strip);
  for (Index j = span.begin; j < span.end; ++j) {
    const auto step = hn::Set(du, static_cast<std::uint32_t>(j) * kDropoutStep);
    for (Index at = 0; at < width; at += lanes_) {
      auto x = hn::Add(step, hn::Load(du, strip.drop_first + at));
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
      x = hn::Xor(x, hn::Load(du, strip.drop_second + at));
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), m1);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), m2);
      x = hn::ShiftRight<8>(hn::Xor(x, hn::ShiftRight<16>(x)));
      const auto dropped = hn::RebindMask(d_, hn::Lt(hn::BitCast(di, x), threshold));
      float* p = scores_ + (j - span.begin) * width + at;
      hn::Store(hn::IfThenZeroElse(dropped, hn::Mul(hn::Load(d_, p), kept_factor)), d_, p);
    }
  }
}

// Are all values of the key block around `key` finite? Read once for all strips of the query block.
bool QueryBlock::BlockValuesAreFinite(Index key) {
  const Index begin = key / kKeyBlock * kKeyBlock;
  if (begin == checked_block_) return checked_block_is_finite_;
  FloatVector sum = hn::Zero(d_);  // of x · 0: NaN as soon as one x is not finite
  float rest = 0;
  for (Index j = begin; j < std::min(begin + kKeyBlock, m_); ++j) {
    const float* value = Value(j);
    Index c = 0;
    for (; c + lanes_ <= value_width_; c += lanes_) {
      sum = hn::MulAdd(hn::LoadU(d_, value + c), hn::Zero(d_), sum);
    }
    for (; c < value_width_; ++c) rest += value[c] * 0.0f;
  }
  checked_block_ = begin;
  checked_block_is_finite_ = hn::AllFalse(d_, hn::IsNaN(sum)) && !std::isnan(rest);
  return checked_block_is_finite_;
}

void QueryBlock::AddValues(const Strip& strip, const VisibleSpan& span) {
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (!span.full && !BlockValuesAreFinite(span.begin)) return AddValuesOneByOne(strip, span);
  const auto tile = strip.vectors == 1 ? ValueTile<1> : strip.vectors == 2 ? ValueTile<2> : ValueTile<3>;
  tile(scores_, span.end - span.begin, Value(span.begin), p_.v.stride(3), value_width_, strip.alpha,
       strip.out);
}

// The rare case of above, pair by visible pair.
void QueryBlock::AddValuesOneByOne(const Strip& strip, const VisibleSpan& span) {
  const Index width = Width(strip);
  std::vector<float> hidden(static_cast<std::size_t>((span.end - span.begin) * width), 0.0f);
  strip.visible.fill_hidden(span.begin, span.end, width, 1.0f, hidden.data());
  for (Index r = 0; r < strip.rows; ++r) {
    for (Index c = 0; c < value_width_; ++c) {
      float sum = 0;
      for (Index j = span.begin; j < span.end; ++j) {
        const Index at = (j - span.begin) * width + r;
        if (hidden[static_cast<std::size_t>(at)] == 0) sum += scores_[at] * Value(j)[c];
      }
      float& out = strip.out[c * width + r];
      out = out * strip.alpha[r] + sum;
    }
  }
}

// Rows of the output and the log-sum-exp. A row that saw nothing has sum 0 and gives zeros.
void QueryBlock::StoreStrip(Strip& strip) {
  const Index width = Width(strip);
  for (Index r = 0; r < strip.rows; ++r) {
    const Index row = head_index_ * n_ + strip.first_row + r;
    const float sum = strip.sum[r];
    const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
    float* out = p_.output + row * value_width_;
    for (Index c = 0; c < value_width_; ++c) out[c] = strip.out[c * width + r] * inverse;
    if (p_.logsumexp != nullptr) {
      const double log2_sum = static_cast<double>(strip.max[r]) + std::log2(static_cast<double>(sum));
      p_.logsumexp[row] = sum == 0 ? -kInfinity : static_cast<float>(log2_sum * 0.69314718055994530942);
    }
    strip.sum[r] = inverse;  // for the weights
  }
}

// A second pass over the keys, now that the maximum and the sum are known.
void QueryBlock::StoreWeights(Strip& strip) {
  const Index width = Width(strip);
  float* weights = p_.weights + (head_index_ * n_ + strip.first_row) * m_;
  std::fill_n(weights, strip.rows * m_, 0.0f);
  for (Index begin = 0; begin < m_; begin += kKeyBlock) {
    const VisibleSpan span = strip.visible.span(begin, std::min(begin + kKeyBlock, m_));
    if (span.begin == span.end) continue;
    Scores(strip, span);
    const Index keys = span.end - span.begin;
    for (Index at = 0; at < width; at += lanes_) {
      const FloatVector safe = FiniteMaximum(d_, hn::Load(d_, strip.max + at));
      const FloatVector inverse = hn::Load(d_, strip.sum + at);
      for (Index j = 0; j < keys; ++j) {
        float* s = scores_ + j * width + at;
        hn::Store(hn::Mul(Exp2NonPositive(d_, hn::Sub(hn::Load(d_, s), safe)), inverse), d_, s);
      }
    }
    if (p_.dropout > 0) Drop(strip, span);
    // A NaN score makes its row NaN; pairs that are hidden stay 0 even there.
    if (!span.full) strip.visible.fill_hidden(span.begin, span.end, width, 0.0f, scores_);
    for (Index r = 0; r < strip.rows; ++r) {
      for (Index j = 0; j < keys; ++j) weights[r * m_ + span.begin + j] = scores_[j * width + r];
    }
  }
}

void QueryBlock::Run() {
  for (Index s = 0; s < strip_count_; ++s) LoadStrip(strips_[s]);
  for (Index begin = 0; begin < m_; begin += kKeyBlock) {
    for (Index s = 0; s < strip_count_; ++s) {
      Strip& strip = strips_[s];
      const VisibleSpan span = strip.visible.span(begin, std::min(begin + kKeyBlock, m_));
      if (span.begin == span.end) continue;
      Scores(strip, span);
      OnlineSoftmax(strip, span.end - span.begin);
      if (p_.dropout > 0) Drop(strip, span);
      AddValues(strip, span);
    }
  }
  for (Index s = 0; s < strip_count_; ++s) {
    StoreStrip(strips_[s]);
    if (p_.weights != nullptr) StoreWeights(strips_[s]);
  }
}

Index QueryBlockRows() { return kStrips * kVectors * static_cast<Index>(hn::Lanes(Floats())); }

void RunQueryBlock(const AttentionProblem& problem, Index head_index, Index first_row) {
  QueryBlock(problem, head_index, first_row).Run();
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(QueryBlockRows);
HWY_EXPORT(RunQueryBlock);

void attention_forward(const AttentionProblem& problem) {
  apply_forced_instruction_set();
  const Shape& shape = problem.q.shape();
  const Index block_rows = HWY_DYNAMIC_DISPATCH(QueryBlockRows)();
  const Index heads = shape[0] * shape[1] * shape[2];
  const Index blocks = (shape[3] + block_rows - 1) / block_rows;
  // Blocks of one head lie side by side, last rows first: under a causal mask those see the most keys.
  parallel_for(heads * blocks, [&](Index item) {
    const Index block = blocks - 1 - item % blocks;
    HWY_DYNAMIC_DISPATCH(RunQueryBlock)(problem, item / blocks, block * block_rows);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
