// One or a few queries against many keys. Time is reading K and V once; SIMD lanes run over the depth for
// the scores and over the columns for the values, so both are read in their rows' order.
#include "kernels/decode.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/dropout.h"
#include "core/parallel.h"
#include "kernels/instruction_set.h"
#include "mask/intervals.h"

#ifndef FOVEA_KERNELS_DECODE_PARTS
#define FOVEA_KERNELS_DECODE_PARTS
namespace fovea::kernels {

constexpr Index kSplitKeys = 1024;
constexpr Index kDecodeBlock = 64;  // keys whose values are fetched while their scores are computed

// What the splits of all key heads leave for the merge, [key heads, splits, rows, ..]. A row of a key head
// is (query head of its group, query).
struct DecodeParts {
  DecodeParts(const AttentionProblem& problem)
      : rows(problem.group() * problem.queries()),
        splits(std::max<Index>(1, (problem.keys() + kSplitKeys - 1) / kSplitKeys)),
        width((problem.value_width() + 15) / 16 * 16),
        key_heads(problem.group() == 0 ? 0 : problem.heads() / problem.group()),
        output(Tensor::uninitialized({key_heads, splits, rows, width})),
        max(Tensor::uninitialized({key_heads, splits, rows})),
        sum(Tensor::uninitialized({key_heads, splits, rows})) {
    const Index blocks = splits * (kSplitKeys / kDecodeBlock);
    if (problem.weights != nullptr) block_max = Tensor::uninitialized({key_heads, blocks, rows});
    visible.resize(problem.mask == nullptr ? 0 : static_cast<std::size_t>(key_heads * rows));
  }

  Index rows, splits, width, key_heads;
  Tensor output, max, sum;
  Tensor block_max;                // for weights: the maximum against which each block was computed
  std::vector<Intervals> visible;  // [key heads, rows]
};

// Row r of key head `key_head` (counted over the batch).
inline Row decode_row(const AttentionProblem& p, Index key_head, Index r) {
  Row row = p.row_of(key_head * p.group() + r / p.queries());
  row.query = r % p.queries();
  return row;
}
// Where it stands among the rows of the results.
inline Index decode_result_row(const AttentionProblem& p, Index key_head, Index r) {
  return (key_head * p.group() + r / p.queries()) * p.queries() + r % p.queries();
}

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_DECODE_PARTS

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/decode.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/exp2-inl.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

#define FOVEA_DOT_ROW(r)                                     \
  if constexpr (R > r) {                                     \
    const FloatVector x = hn::Load(d, q + r * q_stride + i); \
    a##r = hn::MulAdd(x, k0, a##r);                          \
    b##r = hn::MulAdd(x, k1, b##r);                          \
    c##r = hn::MulAdd(x, k2, c##r);                          \
  }
#define FOVEA_DOT_END(r)                         \
  if constexpr (R > r) {                         \
    float* s = scores + r * kDecodeBlock;        \
    s[0] = hn::GetLane(hn::SumOfLanes(d, a##r)); \
    s[1] = hn::GetLane(hn::SumOfLanes(d, b##r)); \
    s[2] = hn::GetLane(hn::SumOfLanes(d, c##r)); \
    for (Index i = whole; i < depth; ++i) {      \
      const float x = q[r * q_stride + i];       \
      s[0] += x * key0[i];                       \
      s[1] += x * key1[i];                       \
      s[2] += x * key2[i];                       \
    }                                            \
  }

// scores [R, 3] of R ≤ 4 queries and 3 keys. Rows of scores are kDecodeBlock apart.
template <int R>
HWY_NOINLINE void DotTile(const float* HWY_RESTRICT q, Index q_stride, Index depth,
                          const float* HWY_RESTRICT key0, const float* HWY_RESTRICT key1,
                          const float* HWY_RESTRICT key2, float* HWY_RESTRICT scores) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = depth / lanes * lanes;
  FloatVector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
  FloatVector b0 = a0, b1 = a0, b2 = a0, b3 = a0, c0 = a0, c1 = a0, c2 = a0, c3 = a0;
  for (Index i = 0; i < whole; i += lanes) {
    const FloatVector k0 = hn::LoadU(d, key0 + i), k1 = hn::LoadU(d, key1 + i), k2 = hn::LoadU(d, key2 + i);
    FOVEA_DOT_ROW(0);
    FOVEA_DOT_ROW(1);
    FOVEA_DOT_ROW(2);
    FOVEA_DOT_ROW(3);
  }
  FOVEA_DOT_END(0);
  FOVEA_DOT_END(1);
  FOVEA_DOT_END(2);
  FOVEA_DOT_END(3);
}
#undef FOVEA_DOT_ROW
#undef FOVEA_DOT_END

// One split of the keys of one key head, for all rows that read it.
class DecodeSplit {
 public:
  DecodeSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split);
  void Run();

 private:
  void LoadQueries();
  void Block(Index begin, Index count);
  void Scores(Index begin, Index count);
  void FinishScores(Index r, Index begin, Index count);
  void Softmax(Index r, Index begin, Index count);
  void AddValues(Index begin, Index count);
  bool HiddenValuesAreFinite(Index begin, Index count) const;
  void AddValuesOneByOne(Index r, Index begin, Index count);
  const float* Key(Index j) const { return keys_ + j * p_.k.stride(3); }
  const float* Value(Index j) const { return values_ + j * p_.v.stride(3); }
  const Intervals* Visible(Index r) const {
    return parts_.visible.empty() ? nullptr
                                  : &parts_.visible[static_cast<std::size_t>(key_head_ * parts_.rows + r)];
  }

  const AttentionProblem& p_;
  DecodeParts& parts_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index key_head_, split_, rows_, depth_, q_stride_, value_width_;
  const float *keys_, *values_;
  Tensor memory_;
  float *q_, *scores_;        // [rows, q_stride], [rows, kDecodeBlock]
  float *out_, *max_, *sum_;  // this split's parts
  bool hides_ = false;        // some row does not see some key of the block
};

DecodeSplit::DecodeSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split)
    : p_(problem),
      parts_(parts),
      key_head_(key_head),
      split_(split),
      rows_(parts.rows),
      depth_(problem.depth()),
      q_stride_((depth_ + lanes_ - 1) / lanes_ * lanes_),
      value_width_(problem.value_width()) {
  const Index key_heads = p_.k.shape()[2];
  keys_ = ScoreProblem::start(p_.k, key_head / key_heads, key_head % key_heads);
  values_ = ScoreProblem::start(p_.v, key_head / key_heads, key_head % key_heads);
  memory_ = Tensor::uninitialized({rows_ * (q_stride_ + kDecodeBlock)});
  q_ = memory_.data();
  scores_ = q_ + rows_ * q_stride_;
  const Index part = key_head * parts.splits + split;
  out_ = parts.output.data() + part * rows_ * parts.width;
  max_ = parts.max.data() + part * rows_;
  sum_ = parts.sum.data() + part * rows_;
  std::fill_n(out_, rows_ * parts.width, 0.0f);
  std::fill_n(max_, rows_, -kInfinity);
  std::fill_n(sum_, rows_, 0.0f);
}

void DecodeSplit::LoadQueries() {
  for (Index r = 0; r < rows_; ++r) {
    const Row row = decode_row(p_, key_head_, r);
    const float* from = ScoreProblem::start(p_.q, row.batch, row.head) + row.query * p_.q.stride(3);
    for (Index i = 0; i < depth_; ++i) q_[r * q_stride_ + i] = from[i * p_.q.stride(4)] * p_.scale * kLog2E;
  }
}

void DecodeSplit::Run() {
  LoadQueries();
  const Index begin = split_ * kSplitKeys, end = std::min(p_.keys(), begin + kSplitKeys);
  for (Index at = begin; at < end; at += kDecodeBlock) Block(at, std::min(kDecodeBlock, end - at));
}

void DecodeSplit::Block(Index begin, Index count) {
  hides_ = false;
  bool seen = parts_.visible.empty();
  for (Index r = 0; r < rows_ && !parts_.visible.empty(); ++r) {
    const Index visible = count_keys(*Visible(r), {begin, begin + count});
    seen = seen || visible > 0;
    hides_ = hides_ || visible < count;
  }
  if (p_.tiles != nullptr) ++(!seen ? p_.tiles->hidden : hides_ ? p_.tiles->partial : p_.tiles->full);
  if (!seen) {  // for weights: a maximum that makes nothing of nothing
    for (Index r = 0; r < rows_ && !parts_.block_max.empty(); ++r) {
      parts_.block_max
          .data()[(key_head_ * parts_.block_max.shape()[1] + begin / kDecodeBlock) * rows_ + r] =
          -kInfinity;
    }
    return;
  }
  Scores(begin, count);
  for (Index r = 0; r < rows_; ++r) {
    FinishScores(r, begin, count);
    Softmax(r, begin, count);
  }
  AddValues(begin, count);
}

void DecodeSplit::Scores(Index begin, Index count) {
  for (Index j = 0; j < count; j += 3) {
    const Index last = std::min(j + 2, count - 1), middle = std::min(j + 1, count - 1);
    for (Index v = j; v <= last; ++v) {
      for (Index c = 0; c < value_width_; c += 16) hwy::Prefetch(Value(begin + v) + c);
    }
    const float *k0 = Key(begin + j), *k1 = Key(begin + middle), *k2 = Key(begin + last);
    HWY_ALIGN float tile[4 * kDecodeBlock];
    for (Index r = 0; r < rows_; r += 4) {
      const Index some = std::min<Index>(4, rows_ - r);
      const auto dot = some == 4   ? DotTile<4>
                       : some == 3 ? DotTile<3>
                       : some == 2 ? DotTile<2>
                                   : DotTile<1>;
      dot(q_ + r * q_stride_, q_stride_, depth_, k0, k1, k2, tile);
      for (Index i = 0; i < some; ++i) {
        for (Index t = 0; t <= last - j; ++t)
          scores_[(r + i) * kDecodeBlock + j + t] = tile[i * kDecodeBlock + t];
      }
    }
  }
}

// Everything of the formula up to the softmax, hidden keys as −inf; keys past `count` too.
void DecodeSplit::FinishScores(Index r, Index begin, Index count) {
  float* scores = scores_ + r * kDecodeBlock;
  if (p_.softcap > 0) {
    const float cap = p_.softcap * kLog2E;
    for (Index j = 0; j < count; ++j) {
      scores[j] = std::isnan(scores[j]) ? scores[j] : cap * std::tanh(scores[j] / cap);
    }
  }
  const bool additive = p_.mask != nullptr && p_.mask->is_additive();
  if (p_.bias != nullptr || additive) {
    float values[kDecodeBlock] = {};
    const Row row = decode_row(p_, key_head_, r);
    if (p_.bias != nullptr) p_.bias->add_values(row, begin, begin + count, values);
    if (additive) p_.mask->add_values(row, begin, begin + count, values);
    constexpr float kLargest = std::numeric_limits<float>::max();
    for (Index j = 0; j < count; ++j) {
      const float value = values[j] * kLog2E;
      scores[j] =
          AddFinitely(scores[j], std::isfinite(values[j]) ? std::clamp(value, -kLargest, kLargest) : value);
    }
  }
  if (hides_) {
    Index key = begin;
    for (const Interval& visible : *Visible(r)) {
      for (; key < std::min(visible.begin, begin + count); ++key) scores[key - begin] = -kInfinity;
      key = std::max(key, visible.end);
    }
    for (; key < begin + count; ++key) scores[key - begin] = -kInfinity;
  }
  std::fill(scores + count, scores + kDecodeBlock, -kInfinity);
}

// The row's scores become exponentials against the new maximum; its output and sum are rescaled to it.
void DecodeSplit::Softmax(Index r, Index begin, Index count) {
  float* scores = scores_ + r * kDecodeBlock;
  FloatVector lanes_max = hn::Set(d_, max_[r]);
  for (Index j = 0; j < kDecodeBlock; j += lanes_) lanes_max = hn::Max(lanes_max, hn::Load(d_, scores + j));
  const float max = hn::GetLane(hn::MaxOfLanes(d_, lanes_max));
  const float safe = max == -kInfinity ? 0.0f : max;
  FloatVector sum = hn::Zero(d_);
  for (Index j = 0; j < kDecodeBlock; j += lanes_) {
    const FloatVector p = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, scores + j), hn::Set(d_, safe)));
    sum = hn::Add(sum, p);
    hn::Store(p, d_, scores + j);
  }
  const FloatVector factor = Exp2NonPositive(d_, hn::Set(d_, max_[r] - safe));
  sum_[r] = sum_[r] * hn::GetLane(factor) + hn::GetLane(hn::SumOfLanes(d_, sum));
  if (max != max_[r]) {
    float* out = out_ + r * parts_.width;
    for (Index c = 0; c < value_width_; ++c) out[c] *= hn::GetLane(factor);
  }
  max_[r] = max;

  if (p_.dropout > 0) {
    const Row row = decode_row(p_, key_head_, r);
    const DropoutRow keys = dropout_row(p_.seed, row.batch * p_.q.shape()[2] + row.head, row.query);
    const std::uint32_t threshold = dropout_threshold(p_.dropout);
    for (Index j = 0; j < count; ++j) {
      const bool kept = dropout_bits(keys, begin + j) >= threshold;
      scores[j] = kept ? scores[j] * (1.0f / (1.0f - p_.dropout)) : 0.0f;
    }
  }
  if (p_.weights == nullptr) return;
  std::copy_n(scores, count, p_.weights + decode_result_row(p_, key_head_, r) * p_.keys() + begin);
  parts_.block_max.data()[(key_head_ * parts_.block_max.shape()[1] + begin / kDecodeBlock) * rows_ + r] =
      max;
}

void DecodeSplit::AddValues(Index begin, Index count) {
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (hides_ && !HiddenValuesAreFinite(begin, count)) {
    for (Index r = 0; r < rows_; ++r) AddValuesOneByOne(r, begin, count);
    return;
  }
  const TileFactor p{scores_, kDecodeBlock, 1};
  const Index stride = p_.v.stride(3), width = parts_.width;
  Index c = 0;
  for (; c + 3 * lanes_ <= value_width_; c += 3 * lanes_) {
    MultiplyStrip<3, TileEnd::add>(p, rows_, Value(begin) + c, stride, count, out_ + c, width, nullptr);
  }
  for (; c + lanes_ <= value_width_; c += lanes_) {
    MultiplyStrip<1, TileEnd::add>(p, rows_, Value(begin) + c, stride, count, out_ + c, width, nullptr);
  }
  for (; c < value_width_; ++c) {
    for (Index r = 0; r < rows_; ++r) {
      float sum = 0;
      for (Index j = 0; j < count; ++j) sum += scores_[r * kDecodeBlock + j] * Value(begin + j)[c];
      out_[r * width + c] += sum;
    }
  }
}

bool DecodeSplit::HiddenValuesAreFinite(Index begin, Index count) const {
  float sum = 0;
  for (Index j = begin; j < begin + count; ++j) {
    for (Index c = 0; c < value_width_; ++c) sum += Value(j)[c] * 0.0f;
  }
  return !std::isnan(sum);
}

void DecodeSplit::AddValuesOneByOne(Index r, Index begin, Index count) {
  for (const Interval& visible : *Visible(r)) {
    for (Index j = std::max(begin, visible.begin); j < std::min(begin + count, visible.end); ++j) {
      const float weight = scores_[r * kDecodeBlock + j - begin];
      for (Index c = 0; c < value_width_; ++c) out_[r * parts_.width + c] += weight * Value(j)[c];
    }
  }
}

void RunSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split) {
  DecodeSplit(problem, parts, key_head, split).Run();
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RunSplit);

namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

// Brings the splits of one row to their common maximum, in order.
void merge_row(const AttentionProblem& p, const DecodeParts& parts, Index key_head, Index r) {
  const auto part = [&](Index split) { return (key_head * parts.splits + split) * parts.rows + r; };
  // Not std::max: a NaN shows in the sum anyway.
  float max = kNone;
  for (Index s = 0; s < parts.splits; ++s) max = std::max(max, parts.max.data()[part(s)]);
  const float safe = max == kNone ? 0.0f : max;
  const Index to = decode_result_row(p, key_head, r), width = p.value_width();
  float* out = p.output + to * width;
  std::fill_n(out, width, 0.0f);
  float sum = 0;
  for (Index s = 0; s < parts.splits; ++s) {
    const float factor = std::exp2(parts.max.data()[part(s)] - safe);
    sum += parts.sum.data()[part(s)] * factor;
    const float* from = parts.output.data() + part(s) * parts.width;
    for (Index c = 0; c < width; ++c) out[c] += from[c] * factor;
  }
  const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
  for (Index c = 0; c < width; ++c) out[c] *= inverse;
  if (p.logsumexp != nullptr) {
    const double log2_sum = static_cast<double>(max) + std::log2(static_cast<double>(sum));
    p.logsumexp[to] = sum == 0 ? kNone : static_cast<float>(log2_sum * 0.69314718055994530942);
  }
  if (p.weights == nullptr) return;
  float* weights = p.weights + to * p.keys();
  Intervals visible{{0, p.keys()}};
  if (!parts.visible.empty()) visible = parts.visible[static_cast<std::size_t>(key_head * parts.rows + r)];
  Index hidden = 0;  // weights of hidden keys are 0, in a row of NaN too
  for (const Interval& keys : visible) {
    std::fill(weights + hidden, weights + keys.begin, 0.0f);
    for (Index j = keys.begin; j < keys.end; ++j) {
      const Index block = key_head * parts.block_max.shape()[1] + j / kDecodeBlock;
      weights[j] *= std::exp2(parts.block_max.data()[block * parts.rows + r] - safe) * inverse;
    }
    hidden = keys.end;
  }
  std::fill(weights + hidden, weights + p.keys(), 0.0f);
}

}  // namespace

void attention_decode(const AttentionProblem& problem) {
  apply_forced_instruction_set();
  DecodeParts parts(problem);
  for (Index row = 0; row < static_cast<Index>(parts.visible.size()); ++row) {
    problem.mask->visible_keys(decode_row(problem, row / parts.rows, row % parts.rows),
                               parts.visible[static_cast<std::size_t>(row)]);
  }
  parallel_for(parts.key_heads * parts.splits, [&](Index item) {
    HWY_DYNAMIC_DISPATCH(RunSplit)(problem, parts, item / parts.splits, item % parts.splits);
  });
  for (Index row = 0; row < parts.key_heads * parts.rows; ++row) {
    merge_row(problem, parts, row / parts.rows, row % parts.rows);
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
