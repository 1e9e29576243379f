// One or a few queries against many keys. Time is reading K and V once; SIMD lanes run over the depth for
// the scores and over the columns for the values, so both are read in their rows' order, in several
// streams. Keys and values are read as they are stored, and widened in registers.
#include "kernels/decode.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dropout.h"
#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/decode_streams.h"
#include "kernels/instruction_set.h"
#include "kernels/key_order.h"
#include "kernels/stored.h"
#include "mask/intervals.h"

#ifndef FOVEA_KERNELS_DECODE_PARTS
#define FOVEA_KERNELS_DECODE_PARTS
namespace fovea::kernels {

constexpr Index kSumKeys = 128;  // keys after which a sum of values starts at zero again

// What the splits of all key heads leave for the merge, [key heads, splits, rows, ..]. A row of a key head
// is (query head of its group, query).
struct DecodeParts {
  DecodeParts(const AttentionProblem& problem, Index lanes, KeyOrder key_order)
      : order(key_order),
        rows(problem.group() * problem.queries()),
        splits(std::max<Index>(1, (problem.keys() + kSplitKeys - 1) / kSplitKeys)),
        width((problem.value_width() + lanes - 1) / lanes * lanes),
        key_heads(problem.group() == 0 ? 0 : problem.heads() / problem.group()),
        output(Tensor::uninitialized({key_heads, splits, rows, width})),
        max(Tensor::uninitialized({key_heads, splits, rows})),
        sum(Tensor::uninitialized({key_heads, splits, rows})),
        left(static_cast<std::size_t>(key_heads)) {
    for (std::atomic<Index>& count : left) count = splits;
    visible.resize(problem.mask == nullptr ? 0 : static_cast<std::size_t>(key_heads * rows));
  }

  KeyOrder order;
  Index rows, splits, width, key_heads;
  Tensor output, max, sum;
  std::vector<Intervals> visible;        // [key heads, rows]
  std::vector<std::atomic<Index>> left;  // [key heads]: splits that are not done yet
};

template <typename T>
constexpr Index bytes_of(Index elements) {
  return elements * static_cast<Index>(sizeof(T));
}

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

#include "kernels/decode_tiles-inl.h"
#include "kernels/exp2-inl.h"
#include "kernels/query_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// One split of the keys of one key head, for all rows that read it: first all scores, then all values, so
// that memory is read in two plain streams.
class DecodeSplit {
 public:
  DecodeSplit(const AttentionProblem& problem, DecodeParts& parts, Index key_head, Index split);
  void Run();

 private:
  void LoadQueries();
  template <typename T>
  void Scores(const T* keys);
  void FinishScores(Index r);
  void Softmax(Index r);
  void Drop(Index r);
  template <typename T>
  void AddValues(const T* values);
  template <typename T>
  void AddSteps(const T* values, const Streams<kValueStreams>& order, Index step, Index end);
  template <typename T>
  void AddSteps(const T* values, const Neighbours<kNeighbours>& order, Index step, Index end);
  template <typename T, class Order>
  void AddInBlocks(const T* values, const Order& order);
  template <typename T>
  bool AreFinite(const T* values) const;
  template <typename T>
  void AddValuesOneByOne(const T* values, Index r);
  Index following() const { return p_.keys() - begin_ - count_; }  // keys of this head after the split
  const Intervals* Visible(Index r) const {
    return parts_.visible.empty() ? nullptr
                                  : &parts_.visible[static_cast<std::size_t>(key_head_ * parts_.rows + r)];
  }

  const AttentionProblem& p_;
  DecodeParts& parts_;
  const Floats d_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index key_head_, begin_, count_, rows_, depth_, q_stride_, value_width_;
  const Index key_offset_, value_offset_;    // of key begin_, in elements
  const float *key_scales_, *value_scales_;  // [count] of stored integers, or null
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
      value_width_(problem.value_width()),
      key_offset_(ScoreProblem::offset(p_.k, key_head) + begin_ * p_.k.stride(3)),
      value_offset_(ScoreProblem::offset(p_.v, key_head) + begin_ * p_.v.stride(3)),
      key_scales_(ScalesFrom(p_.stored_k, key_offset_, depth_)),
      value_scales_(ScalesFrom(p_.stored_v, value_offset_, value_width_)) {
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
    float* to = q_ + r * q_stride_;
    for (Index i = 0; i < depth_; ++i) to[i] = from[i * p_.q.stride(4)];
    std::fill(to + depth_, to + q_stride_, 0.0f);
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
  with_stored_type(p_.stored_k.type, [&](const auto* type) {
    Scores(static_cast<decltype(type)>(p_.stored_k.at(p_.k)) + key_offset_);
  });
  for (Index r = 0; r < rows_; ++r) {
    FinishScores(r);
    Softmax(r);
    if (p_.dropout > 0) Drop(r);
    if (p_.weights == nullptr) continue;
    std::copy_n(scores_ + r * kScoreStride, count_,
                p_.weights + decode_result_row(p_, key_head_, r) * p_.keys() + begin_);
  }
  for (Index r = 0; r < rows_ && value_scales_ != nullptr; ++r) {
    for (Index j = 0; j < count_; ++j) scores_[r * kScoreStride + j] *= value_scales_[j];
  }
  with_stored_type(p_.stored_v.type, [&](const auto* type) {
    AddValues(static_cast<decltype(type)>(p_.stored_v.at(p_.v)) + value_offset_);
  });
}

template <typename T>
void DecodeSplit::Scores(const T* keys) {
  const Index whole = depth_ / lanes_ * lanes_, stride = p_.k.stride(3);
  const Streams<kScoreStreams> streams(count_, kScoreFetch, bytes_of<T>(depth_));
  if (kHasMemoryOrder && parts_.order == KeyOrder::memory) {
    const Neighbours<kScoreStreams> order(count_, following(), kMemoryFetch, bytes_of<T>(depth_));
    DotInMemoryOrder(q_, q_stride_, rows_, whole, order, keys, stride, scores_);
  } else {
    for (Index step = 0; step < streams.steps(); ++step) {
      DotRows(q_, q_stride_, rows_, whole, streams.at(step, keys, stride), scores_);
    }
  }
  if (streams.rest() < count_) {
    DotRows(q_, q_stride_, rows_, whole, streams.left_over(keys, stride), scores_);
  }
  for (Index j = 0; j < count_ && whole < depth_; ++j) {
    const FloatVector key = LoadSome(d_, keys + j * stride + whole, depth_ - whole);
    for (Index r = 0; r < rows_; ++r) {
      const FloatVector products = hn::Mul(hn::Load(d_, q_ + r * q_stride_ + whole), key);
      scores_[r * kScoreStride + j] += hn::GetLane(hn::SumOfLanes(d_, products));
    }
  }
}

// Everything of the formula up to the softmax, hidden keys as −inf; keys past the last one too, up to a
// whole vector.
void DecodeSplit::FinishScores(Index r) {
  float* scores = scores_ + r * kScoreStride;
  const float factor = p_.scale * kLog2E;
  for (Index j = 0; j < count_; ++j) scores[j] *= factor;
  for (Index j = 0; j < count_ && key_scales_ != nullptr; ++j) scores[j] *= key_scales_[j];
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

template <typename T>
void DecodeSplit::AddValues(const T* values) {
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (hides_ && !AreFinite(values)) {
    for (Index r = 0; r < rows_; ++r) AddValuesOneByOne(values, r);
    return;
  }
  if constexpr (kHasMemoryOrder) {
    if (parts_.order == KeyOrder::memory) {
      return AddInBlocks(
          values, Neighbours<kNeighbours>(count_, following(), kMemoryFetch, bytes_of<T>(value_width_)));
    }
  }
  AddInBlocks(values, Streams<kValueStreams>(count_, kValueFetch, bytes_of<T>(value_width_)));
}

template <typename T>
void DecodeSplit::AddSteps(const T* values, const Streams<kValueStreams>& order, Index step, Index end) {
  for (; step < end; ++step) {
    AddValuesOf<kValueStreams>(scores_, rows_, order.at(step, values, p_.v.stride(3)), value_width_, block_,
                               parts_.width);
  }
}

template <typename T>
void DecodeSplit::AddSteps(const T* values, const Neighbours<kNeighbours>& order, Index step, Index end) {
  AddValuesInMemoryOrder(scores_, rows_, order, {step, end}, values, p_.v.stride(3), value_width_, block_,
                         parts_.width);
}

// Sums of the block's steps, then the sum of all blocks.
template <typename T, class Order>
void DecodeSplit::AddInBlocks(const T* values, const Order& order) {
  const Index width = parts_.width;
  constexpr Index kSumSteps = kSumKeys / Order::kKeys;
  for (Index step = 0; step < order.steps(); step += kSumSteps) {
    std::fill_n(block_, rows_ * width, 0.0f);
    AddSteps(values, order, step, std::min(step + kSumSteps, order.steps()));
    for (Index i = 0; i < rows_ * width; ++i) out_[i] += block_[i];
  }
  for (Index j = order.rest(); j < count_; ++j) {
    const StreamKeys<T, 1> key{{values + j * p_.v.stride(3)}, {j}};
    AddValuesOf<1>(scores_, rows_, key, value_width_, out_, width);
  }
}

// Of stored integers only their scales can be infinite or NaN.
template <typename T>
bool DecodeSplit::AreFinite(const T* values) const {
  float sum = 0;
  for (Index j = 0; j < count_; ++j) {
    if (value_scales_ != nullptr) {
      sum += value_scales_[j] * 0.0f;
      continue;
    }
    for (Index c = 0; c < value_width_; ++c) sum += widened(values[j * p_.v.stride(3) + c]) * 0.0f;
  }
  return !std::isnan(sum);
}

template <typename T>
void DecodeSplit::AddValuesOneByOne(const T* values, Index r) {
  for (const Interval& visible : *Visible(r)) {
    for (Index j = std::max(begin_, visible.begin); j < std::min(begin_ + count_, visible.end); ++j) {
      const float weight = scores_[r * kScoreStride + j - begin_];
      const T* value = values + (j - begin_) * p_.v.stride(3);
      for (Index c = 0; c < value_width_; ++c) out_[r * parts_.width + c] += weight * widened(value[c]);
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

// Where tasks of neighbouring items begin, and the end: each takes a share of what is left, 1 / `shares`,
// but one item at least. Neighbouring splits belong on one thread, because what a processor fetches past
// the end of one is the next one's; small tasks belong at the end, where a thread waits for the others.
std::vector<Index> shrinking_tasks(Index items, Index shares) {
  std::vector<Index> begins{0};
  while (begins.back() < items) {
    begins.push_back(begins.back() + std::max<Index>(1, (items - begins.back()) / shares));
  }
  return begins;
}

}  // namespace

void attention_decode(const AttentionProblem& problem, KeyOrder order) {
  apply_forced_instruction_set();
  DecodeParts parts(problem, std::max<Index>(16, strip_width() / kStripVectors), order);
  for (Index row = 0; row < static_cast<Index>(parts.visible.size()); ++row) {
    problem.mask->visible_keys(decode_row(problem, row / parts.rows, row % parts.rows),
                               parts.visible[static_cast<std::size_t>(row)]);
  }
  const auto run = [&](Index item) {
    const Index key_head = item / parts.splits;
    HWY_DYNAMIC_DISPATCH(RunSplit)(problem, parts, key_head, item % parts.splits);
    // Whoever finishes the last split merges all, while others still read.
    if (parts.left[static_cast<std::size_t>(key_head)].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    for (Index r = 0; r < parts.rows; ++r) merge_row(problem, parts, key_head, r);
  };
  const std::vector<Index> tasks = shrinking_tasks(parts.key_heads * parts.splits, 2 * thread_count());
  parallel_for(static_cast<Index>(tasks.size()) - 1, [&](Index task) {
    const auto at = static_cast<std::size_t>(task);
    for (Index item = tasks[at]; item < tasks[at + 1]; ++item) run(item);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
