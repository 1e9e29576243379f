// One or a few queries against many keys. Time is reading K and V once; SIMD lanes run over the depth for
// the scores and over the columns for the values, so both are read in their rows' order.
#include "kernels/decode.h"

#include <algorithm>
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

constexpr Index kScoreStride = kSplitKeys + 16;  // not a multiple of 4 KiB: stores would seem to hit loads
constexpr Index kFetchKeys = 6;                  // how many keys ahead memory is fetched
constexpr Index kSumKeys = 128;                  // keys after which a sum of values starts at zero again

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
    visible.resize(problem.mask == nullptr ? 0 : static_cast<std::size_t>(key_heads * rows));
  }

  Index rows, splits, width, key_heads;
  Tensor output, max, sum;
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
#include "kernels/scalar_options-inl.h"

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/exp2-inl.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// The sums over the lanes of four vectors, side by side.
HWY_INLINE void StoreFourSums(Floats d, FloatVector v0, FloatVector v1, FloatVector v2, FloatVector v3,
                              float* HWY_RESTRICT to) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_NEON
  const Four d4;
  const hn::FixedTag<double, 2> dd;
#if HWY_TARGET == HWY_AVX2
  const hn::Half<Floats> half;
  const auto fold = [&](FloatVector v)
                        HWY_ATTR { return hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)); };
  const auto a = fold(v0), b = fold(v1), c = fold(v2), e = fold(v3);
#else
  const auto a = v0, b = v1, c = v2, e = v3;
#endif
  const auto ab = hn::Add(hn::InterleaveLower(d4, a, b), hn::InterleaveUpper(d4, a, b));
  const auto ce = hn::Add(hn::InterleaveLower(d4, c, e), hn::InterleaveUpper(d4, c, e));
  const auto low = hn::InterleaveLower(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce));
  const auto high = hn::InterleaveUpper(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce));
  hn::StoreU(hn::Add(hn::BitCast(d4, low), hn::BitCast(d4, high)), d4, to);
  static_cast<void>(d);
#else
  to[0] = hn::GetLane(hn::SumOfLanes(d, v0));
  to[1] = hn::GetLane(hn::SumOfLanes(d, v1));
  to[2] = hn::GetLane(hn::SumOfLanes(d, v2));
  to[3] = hn::GetLane(hn::SumOfLanes(d, v3));
#endif
}

#define FOVEA_DOT_ROW(r)                                     \
  if constexpr (R > r) {                                     \
    const FloatVector x = hn::Load(d, q + r * q_stride + i); \
    a##r = hn::MulAdd(x, x0, a##r);                          \
    b##r = hn::MulAdd(x, x1, b##r);                          \
    c##r = hn::MulAdd(x, x2, c##r);                          \
    e##r = hn::MulAdd(x, x3, e##r);                          \
  }

// scores [R, 4] of R ≤ 3 queries and 4 keys; rows of scores are kScoreStride apart. Only whole vectors of
// the depth.
template <int R>
HWY_INLINE void DotTile(const float* HWY_RESTRICT q, Index q_stride, Index whole_depth,
                        const float* HWY_RESTRICT k0, const float* HWY_RESTRICT k1,
                        const float* HWY_RESTRICT k2, const float* HWY_RESTRICT k3,
                        float* HWY_RESTRICT scores) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector a0 = hn::Zero(d), a1 = a0, a2 = a0, b0 = a0, b1 = a0, b2 = a0;
  FloatVector c0 = a0, c1 = a0, c2 = a0, e0 = a0, e1 = a0, e2 = a0;
  HWY_UNROLL(2)
  for (Index i = 0; i < whole_depth; i += lanes) {
    const FloatVector x0 = hn::LoadU(d, k0 + i), x1 = hn::LoadU(d, k1 + i);
    const FloatVector x2 = hn::LoadU(d, k2 + i), x3 = hn::LoadU(d, k3 + i);
    FOVEA_DOT_ROW(0);
    FOVEA_DOT_ROW(1);
    FOVEA_DOT_ROW(2);
  }
  StoreFourSums(d, a0, b0, c0, e0, scores);
  if constexpr (R > 1) StoreFourSums(d, a1, b1, c1, e1, scores + kScoreStride);
  if constexpr (R > 2) StoreFourSums(d, a2, b2, c2, e2, scores + 2 * kScoreStride);
}
#undef FOVEA_DOT_ROW

// out [rows, W2] += p [rows, keys] · v [keys, W2] for two vectors of columns and four neighbouring keys: v
// is read once, in its order.
HWY_INLINE void AddFourValues(Index rows, const float* HWY_RESTRICT p, const float* HWY_RESTRICT v,
                              Index v_stride, Index columns, float* HWY_RESTRICT out, Index out_stride) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + 2 * lanes <= columns; c += 2 * lanes) {
    const float* x = v + c;
    const FloatVector a0 = hn::LoadU(d, x), b0 = hn::LoadU(d, x + lanes);
    const FloatVector a1 = hn::LoadU(d, x + v_stride), b1 = hn::LoadU(d, x + v_stride + lanes);
    const FloatVector a2 = hn::LoadU(d, x + 2 * v_stride), b2 = hn::LoadU(d, x + 2 * v_stride + lanes);
    const FloatVector a3 = hn::LoadU(d, x + 3 * v_stride), b3 = hn::LoadU(d, x + 3 * v_stride + lanes);
    for (Index r = 0; r < rows; ++r) {
      const float* w = p + r * kScoreStride;
      float* to = out + r * out_stride + c;
      const FloatVector w0 = hn::Set(d, w[0]), w1 = hn::Set(d, w[1]), w2 = hn::Set(d, w[2]),
                        w3 = hn::Set(d, w[3]);
      const FloatVector a = hn::MulAdd(w1, a1, hn::MulAdd(w0, a0, hn::Load(d, to)));
      const FloatVector b = hn::MulAdd(w1, b1, hn::MulAdd(w0, b0, hn::Load(d, to + lanes)));
      hn::Store(hn::MulAdd(w3, a3, hn::MulAdd(w2, a2, a)), d, to);
      hn::Store(hn::MulAdd(w3, b3, hn::MulAdd(w2, b2, b)), d, to + lanes);
    }
  }
  for (; c < columns; ++c) {
    for (Index r = 0; r < rows; ++r) {
      const float* w = p + r * kScoreStride;
      out[r * out_stride + c] +=
          w[0] * v[c] + w[1] * v[v_stride + c] + w[2] * v[2 * v_stride + c] + w[3] * v[3 * v_stride + c];
    }
  }
}

// One split of the keys of one key head, for all rows that read it: first all scores, then all values, so
// that memory is read in two plain streams.
class DecodeSplit {
 public:
  DecodeSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split);
  void Run();

 private:
  void LoadQueries();
  void Scores();
  void FinishScores(Index r);
  void Softmax(Index r);
  void Drop(Index r);
  void AddValues();
  bool ValuesAreFinite() const;
  void AddValuesOneByOne(Index r);
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
  const Index key_head_, begin_, count_, rows_, depth_, q_stride_, value_width_;
  const float *keys_, *values_;  // of key begin_
  Tensor memory_;
  float *q_, *scores_, *block_;  // [rows, q_stride], [rows, kScoreStride], [rows, width]
  float *out_, *max_, *sum_;     // this split's parts
  bool hides_ = false;           // some row does not see some key
};

DecodeSplit::DecodeSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split)
    : p_(problem),
      parts_(parts),
      key_head_(key_head),
      begin_(split * kSplitKeys),
      count_(std::min(kSplitKeys, problem.keys() - begin_)),
      rows_(parts.rows),
      depth_(problem.depth()),
      q_stride_((depth_ + lanes_ - 1) / lanes_ * lanes_),
      value_width_(problem.value_width()) {
  const Index key_heads = p_.k.shape()[2];
  keys_ = ScoreProblem::start(p_.k, key_head / key_heads, key_head % key_heads) + begin_ * p_.k.stride(3);
  values_ = ScoreProblem::start(p_.v, key_head / key_heads, key_head % key_heads) + begin_ * p_.v.stride(3);
  memory_ = Tensor::uninitialized({rows_ * (q_stride_ + kScoreStride + parts.width)});
  scores_ = memory_.data();
  block_ = scores_ + rows_ * kScoreStride;
  q_ = block_ + rows_ * parts.width;
  const Index part = key_head * parts.splits + split;
  out_ = parts.output.data() + part * rows_ * parts.width;
  max_ = parts.max.data() + part * rows_;
  sum_ = parts.sum.data() + part * rows_;
}

void DecodeSplit::LoadQueries() {
  for (Index r = 0; r < rows_; ++r) {
    const Row row = decode_row(p_, key_head_, r);
    const float* from = ScoreProblem::start(p_.q, row.batch, row.head) + row.query * p_.q.stride(3);
    for (Index i = 0; i < depth_; ++i) q_[r * q_stride_ + i] = from[i * p_.q.stride(4)];
  }
}

void DecodeSplit::Run() {
  std::fill_n(out_, rows_ * parts_.width, 0.0f);
  std::fill_n(max_, rows_, -kInfinity);
  std::fill_n(sum_, rows_, 0.0f);
  bool seen = parts_.visible.empty();
  for (Index r = 0; r < rows_ && !parts_.visible.empty(); ++r) {
    const Index visible = count_keys(*Visible(r), {begin_, begin_ + count_});
    seen = seen || visible > 0;
    hides_ = hides_ || visible < count_;
  }
  if (p_.tiles != nullptr) ++(!seen ? p_.tiles->hidden : hides_ ? p_.tiles->partial : p_.tiles->full);
  if (!seen || count_ <= 0) return;
  LoadQueries();
  Scores();
  for (Index r = 0; r < rows_; ++r) {
    FinishScores(r);
    Softmax(r);
    if (p_.dropout > 0) Drop(r);
    if (p_.weights == nullptr) continue;
    std::copy_n(scores_ + r * kScoreStride, count_,
                p_.weights + decode_result_row(p_, key_head_, r) * p_.keys() + begin_);
  }
  AddValues();
}

HWY_INLINE void FetchRow(const float* row, Index width) {
  for (Index c = 0; c < width; c += 16) hwy::Prefetch(row + c);
}

// Four keys at a time.
void DecodeSplit::Scores() {
  const Index whole = depth_ / lanes_ * lanes_, last = count_ - 1;
  for (Index j = 0; j < count_; j += 4) {
    const float *k0 = Key(j), *k1 = Key(std::min(j + 1, last)), *k2 = Key(std::min(j + 2, last)),
                *k3 = Key(std::min(j + 3, last));
    for (Index t = 0; t < 4; ++t) FetchRow(Key(j + t + kFetchKeys), depth_);
    for (Index r = 0; r < rows_;) {
      const float* q = q_ + r * q_stride_;
      float* scores = scores_ + r * kScoreStride + j;
      const Index left = rows_ - r;
      if (left == 3 || left > 4) {
        DotTile<3>(q, q_stride_, whole, k0, k1, k2, k3, scores);
        r += 3;
      } else if (left == 1) {
        DotTile<1>(q, q_stride_, whole, k0, k1, k2, k3, scores);
        r += 1;
      } else {
        DotTile<2>(q, q_stride_, whole, k0, k1, k2, k3, scores);
        r += 2;
      }
    }
  }
  for (Index r = 0; r < rows_ && whole < depth_; ++r) {
    const float* q = q_ + r * q_stride_;
    for (Index j = 0; j < count_; ++j) {
      float sum = 0;
      for (Index i = whole; i < depth_; ++i) sum += q[i] * Key(j)[i];
      scores_[r * kScoreStride + j] += sum;
    }
  }
}

// Everything of the formula up to the softmax, hidden keys as −inf; keys past the last one too, up to a
// whole vector.
void DecodeSplit::FinishScores(Index r) {
  float* scores = scores_ + r * kScoreStride;
  const float factor = p_.scale * kLog2E;
  for (Index j = 0; j < count_; ++j) scores[j] *= factor;
  if (p_.softcap > 0) {
    const float cap = p_.softcap * kLog2E;
    for (Index j = 0; j < count_; ++j) {
      scores[j] = std::isnan(scores[j]) ? scores[j] : cap * std::tanh(scores[j] / cap);
    }
  }
  const bool additive = p_.mask != nullptr && p_.mask->is_additive();
  if (p_.bias != nullptr || additive) {
    std::vector<float> values(static_cast<std::size_t>(count_), 0.0f);
    const Row row = decode_row(p_, key_head_, r);
    if (p_.bias != nullptr) p_.bias->add_values(row, begin_, begin_ + count_, values.data());
    if (additive) p_.mask->add_values(row, begin_, begin_ + count_, values.data());
    constexpr float kLargest = std::numeric_limits<float>::max();
    for (Index j = 0; j < count_; ++j) {
      const float value = values[static_cast<std::size_t>(j)], scaled = value * kLog2E;
      scores[j] =
          AddFinitely(scores[j], std::isfinite(value) ? std::clamp(scaled, -kLargest, kLargest) : scaled);
    }
  }
  const Index end = begin_ + count_;
  if (hides_) {
    Index key = begin_;
    for (const Interval& visible : *Visible(r)) {
      for (; key < std::min(visible.begin, end); ++key) scores[key - begin_] = -kInfinity;
      key = std::max(key, visible.end);
    }
    for (; key < end; ++key) scores[key - begin_] = -kInfinity;
  }
  std::fill(scores + count_, scores + std::min((count_ + 63) / 64 * 64, kSplitKeys), -kInfinity);
}

void DecodeSplit::Softmax(Index r) {
  float* scores = scores_ + r * kScoreStride;
  FloatVector lanes_max = hn::Set(d_, -kInfinity);
  for (Index j = 0; j < count_; j += lanes_) lanes_max = hn::Max(lanes_max, hn::Load(d_, scores + j));
  const float max = hn::GetLane(hn::MaxOfLanes(d_, lanes_max));
  const FloatVector safe = hn::Set(d_, max == -kInfinity ? 0.0f : max);
  FloatVector sum = hn::Zero(d_);
  for (Index j = 0; j < count_; j += lanes_) {
    const FloatVector p = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, scores + j), safe));
    sum = hn::Add(sum, p);
    hn::Store(p, d_, scores + j);
  }
  max_[r] = max;
  sum_[r] = hn::GetLane(hn::SumOfLanes(d_, sum));
}

void DecodeSplit::Drop(Index r) {
  const Row row = decode_row(p_, key_head_, r);
  const DropoutRow keys = dropout_row(p_.seed, row.batch * p_.q.shape()[2] + row.head, row.query);
  const std::uint32_t threshold = dropout_threshold(p_.dropout);
  float* weights = scores_ + r * kScoreStride;
  for (Index j = 0; j < count_; ++j) {
    const bool kept = dropout_bits(keys, begin_ + j) >= threshold;
    weights[j] = kept ? weights[j] * (1.0f / (1.0f - p_.dropout)) : 0.0f;
  }
}

void DecodeSplit::AddValues() {
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (hides_ && !ValuesAreFinite()) {
    for (Index r = 0; r < rows_; ++r) AddValuesOneByOne(r);
    return;
  }
  const Index stride = p_.v.stride(3), width = parts_.width;
  for (Index begin = 0; begin < count_; begin += kSumKeys) {
    const Index end = std::min(begin + kSumKeys, count_);
    std::fill_n(block_, rows_ * width, 0.0f);
    Index j = begin;
    for (; j + 4 <= end; j += 4) {
      for (Index t = 0; t < 4; ++t) FetchRow(Value(j + t + kFetchKeys), value_width_);
      AddFourValues(rows_, scores_ + j, Value(j), stride, value_width_, block_, width);
    }
    for (; j < end; ++j) {
      for (Index r = 0; r < rows_; ++r) {
        const float weight = scores_[r * kScoreStride + j];
        for (Index c = 0; c < value_width_; ++c) block_[r * width + c] += weight * Value(j)[c];
      }
    }
    for (Index i = 0; i < rows_ * width; ++i) out_[i] += block_[i];
  }
}

bool DecodeSplit::ValuesAreFinite() const {
  float sum = 0;
  for (Index j = 0; j < count_; ++j) {
    for (Index c = 0; c < value_width_; ++c) sum += Value(j)[c] * 0.0f;
  }
  return !std::isnan(sum);
}

void DecodeSplit::AddValuesOneByOne(Index r) {
  for (const Interval& visible : *Visible(r)) {
    for (Index j = std::max(begin_, visible.begin); j < std::min(begin_ + count_, visible.end); ++j) {
      const float weight = scores_[r * kScoreStride + j - begin_];
      for (Index c = 0; c < value_width_; ++c) out_[r * parts_.width + c] += weight * Value(j - begin_)[c];
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
  float* out = p.output_row(to / p.queries(), to % p.queries());
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
      weights[j] *= std::exp2(parts.max.data()[part(j / kSplitKeys)] - safe) * inverse;
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
