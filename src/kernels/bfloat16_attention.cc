#include "kernels/bfloat16_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/half.h"
#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/bfloat16_keys.h"
#include "kernels/instruction_set.h"
#include "kernels/row_visibility.h"
#include "kernels/tile_sizes.h"

#ifndef FOVEA_KERNELS_BFLOAT16_ITEM
#define FOVEA_KERNELS_BFLOAT16_ITEM
namespace fovea::kernels {

// Some strips of one head.
struct Bfloat16Item {
  Index head_index, first_query, strips;
};

// What all blocks of a call have in common.
struct Bfloat16Call {
  const AttentionProblem& problem;
  const Bfloat16Keys& packed;
  const TileUnit& unit;
  Index strips_per_block;
};

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_BFLOAT16_ITEM

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bfloat16_attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/bfloat16-inl.h"
#include "kernels/exp2-inl.h"
#include "kernels/query_strip-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

using TileVector = hn::Vec<TileFloats>;

// Strips of one head, which share each step of keys while it is in cache. Rows of all its matrices are
// keys or columns of values, their 32 columns the queries of a strip.
class Bfloat16Block {
 public:
  explicit Bfloat16Block(const Bfloat16Call& call);
  void Run(const Bfloat16Item& item);
  void Count(TileCounts& tiles) const;

 private:
  static constexpr Index kWidth = kTileBlock;  // queries in a strip

  struct Strip {
    Index first = 0, rows = 0;  // queries
    RowVisibility visible;
    std::uint32_t* q = nullptr;  // pairs [D / 2, 32]
    // out [Dv, 32], and per query the running maximum and the sum of exponentials.
    float *out = nullptr, *max = nullptr, *sum = nullptr;
  };
  // Of one step, in whole blocks of 32.
  struct KeyRange {
    Index begin, end;  // end may lie past the last key
    bool full;         // every query sees every key of it
    Index count() const { return end - begin; }
  };

  void Load(const Bfloat16Item& item);
  void LoadQueries(Strip& strip);
  void Step(Strip& strip, const KeyRange& keys);
  void FinishScores(Strip& strip, const KeyRange& keys);
  void Cap(Index count);
  void AddRows(const Strip& strip, const KeyRange& keys);
  void FillHidden(const Strip& strip, const KeyRange& keys, float value, float* tile) const;
  void Softmax(Strip& strip, Index keys);
  void AddValues(Strip& strip, const KeyRange& keys);
  void AddValuesOneByOne(Strip& strip, const KeyRange& keys);
  void Store(Strip& strip);

  const AttentionProblem& p_;
  const Bfloat16Keys& packed_;
  const TileUnit& unit_;
  const TileFloats d_;
  const hn::RebindToUnsigned<TileFloats> du_;
  const Index lanes_ = static_cast<Index>(hn::Lanes(d_));
  const Index m_;
  const bool adds_;  // rows of a bias or of an additive mask
  Index head_index_ = 0, key_head_ = 0;
  Row where_;
  Tensor memory_;        // all the scratch below, in one piece
  float* scores_;        // [kKeyBlock, 32]
  float* exponentials_;  // pairs [kKeyBlock / 2, 32], as std::uint32_t
  float* product_;       // [Dv, 32]
  float* factor_;        // [32]: of what was summed before
  float* unit_scratch_;
  float* added_;  // [2, 32, kKeyBlock], if rows are added to the scores; else [D, 32] for the queries
  std::vector<Strip> all_strips_;
  std::span<Strip> strips_;  // those at work
  Index hidden_ = 0, full_ = 0, partial_ = 0;
};

Bfloat16Block::Bfloat16Block(const Bfloat16Call& call)
    : p_(call.problem),
      packed_(call.packed),
      unit_(call.unit),
      m_(p_.keys()),
      adds_(p_.bias != nullptr || (p_.mask != nullptr && p_.mask->is_additive())),
      all_strips_(static_cast<std::size_t>(call.strips_per_block)) {
  const Index depth = packed_.depth(), value_width = packed_.value_width();
  const Index scratch = tile_scratch(std::max(depth, kKeyBlock));
  const Index added = kWidth * std::max(depth, adds_ ? 2 * kKeyBlock : 0);
  memory_ =
      Tensor::uninitialized({call.strips_per_block * kWidth * (depth / 2 + value_width + 2) +
                             kWidth * (kKeyBlock + kKeyBlock / 2 + value_width + 1) + scratch + added});
  float* at = memory_.data();
  const auto take = [&at](Index floats) { return std::exchange(at, at + floats); };
  for (Strip& strip : all_strips_) {
    strip.q = reinterpret_cast<std::uint32_t*>(take(kWidth * depth / 2));
    strip.out = take(kWidth * value_width);
    strip.max = take(kWidth);
    strip.sum = take(kWidth);
  }
  scores_ = take(kWidth * kKeyBlock);
  exponentials_ = take(kWidth * kKeyBlock / 2);
  product_ = take(kWidth * value_width);
  factor_ = take(kWidth);
  unit_scratch_ = take(scratch);
  added_ = at;
}

void Bfloat16Block::Load(const Bfloat16Item& item) {
  head_index_ = item.head_index;
  key_head_ = head_index_ / p_.group();  // Hkv divides H, in every batch entry alike
  where_ = p_.row_of(head_index_);
  strips_ = {all_strips_.data(), static_cast<std::size_t>(item.strips)};
  Index first = item.first_query;
  for (Strip& strip : strips_) {
    strip.first = first;
    strip.rows = std::min(kWidth, p_.queries() - first);
    first += kWidth;
    where_.query = strip.first;
    strip.visible.load(p_.mask, where_, strip.rows);
    LoadQueries(strip);
    std::fill_n(strip.out, packed_.value_width() * kWidth, 0.0f);
    std::fill_n(strip.max, kWidth, -kInfinity);
    std::fill_n(strip.sum, kWidth, 0.0f);
  }
}

// Queries and columns that are missing are 0.
void Bfloat16Block::LoadQueries(Strip& strip) {
  const float* queries = ScoreProblem::start(p_.q, where_.batch, where_.head);
  const Index stride = p_.q.stride(3), step = p_.q.stride(4), depth = p_.depth();
  float* turned = added_;  // [D, 32]
  std::fill_n(turned, packed_.depth() * kWidth, 0.0f);
  if (step == 1) {
    TransposeIn(queries + strip.first * stride, stride, strip.rows, depth, 1.0f, turned, kWidth);
  } else {
    for (Index r = 0; r < strip.rows; ++r) {
      const float* from = queries + (strip.first + r) * stride;
      for (Index i = 0; i < depth; ++i) turned[i * kWidth + r] = from[i * step];
    }
  }
  for (Index t = 0; t < packed_.depth(); t += 2) {
    for (Index at = 0; at < kWidth; at += lanes_) {
      const float* from = turned + t * kWidth + at;
      hn::Store(PairOfBfloat16(RoundToBfloat16(d_, hn::Load(d_, from)),
                               RoundToBfloat16(d_, hn::Load(d_, from + kWidth))),
                du_, strip.q + t / 2 * kWidth + at);
    }
  }
}

void Bfloat16Block::Run(const Bfloat16Item& item) {
  Load(item);
  for (Index begin = 0; begin < m_; begin += kKeyBlock) {
    for (Strip& strip : strips_) {
      const VisibleSpan span = strip.visible.span(begin, std::min(begin + kKeyBlock, m_));
      if (span.begin == span.end) {
        ++hidden_;
        continue;
      }
      const Index from = span.begin / kTileBlock * kTileBlock, to = whole_tiles(span.end);
      const bool full = span.full && from == span.begin && to == span.end;
      ++(full ? full_ : partial_);
      Step(strip, {from, to, full});
    }
  }
  for (Strip& strip : strips_) Store(strip);
}

void Bfloat16Block::Count(TileCounts& tiles) const {
  tiles.hidden += hidden_;
  tiles.full += full_;
  tiles.partial += partial_;
}

void Bfloat16Block::Step(Strip& strip, const KeyRange& keys) {
  unit_.multiply(packed_.keys(key_head_, keys.begin), keys.count(), strip.q, packed_.depth(), scores_,
                 unit_scratch_);
  std::copy_n(strip.max, kWidth, factor_);
  FinishScores(strip, keys);
  Softmax(strip, keys.count());
  // 0 · NaN is NaN: a hidden value that is not finite must not meet its zero weight.
  if (!keys.full && !packed_.finite(key_head_, keys.begin, keys.end)) return AddValuesOneByOne(strip, keys);
  AddValues(strip, keys);
}

// Products become scores in units of log2, −inf where a query does not see a key; max becomes the maximum
// of itself and all of them.
void Bfloat16Block::FinishScores(Strip& strip, const KeyRange& keys) {
  const TileVector factor = hn::Set(d_, p_.scale * kLog2E);
  for (Index i = 0; i < keys.count() * kWidth; i += lanes_) {
    hn::Store(hn::Mul(hn::Load(d_, scores_ + i), factor), d_, scores_ + i);
  }
  if (p_.softcap > 0) Cap(keys.count());
  if (adds_) AddRows(strip, keys);
  FillHidden(strip, keys, -kInfinity, scores_);
  for (Index at = 0; at < kWidth; at += lanes_) {
    TileVector max = hn::Load(d_, strip.max + at);
    for (Index j = 0; j < keys.count(); ++j) max = hn::Max(max, hn::Load(d_, scores_ + j * kWidth + at));
    hn::Store(max, d_, strip.max + at);
  }
}

void Bfloat16Block::Cap(Index count) {
  const TileVector cap = hn::Set(d_, p_.softcap * kLog2E), inverse = hn::Set(d_, 1 / (p_.softcap * kLog2E));
  for (Index i = 0; i < count * kWidth; i += lanes_) {
    const TileVector s = hn::Load(d_, scores_ + i);
    const TileVector capped = hn::Mul(cap, hn::Tanh(d_, hn::Mul(s, inverse)));
    hn::Store(hn::IfThenElse(hn::IsNaN(s), s, capped), d_, scores_ + i);
  }
}

// Biases and additive masks: their rows are fetched, then added column by column.
void Bfloat16Block::AddRows(const Strip& strip, const KeyRange& keys) {
  const Index end = std::min(keys.end, m_), count = keys.count();
  float *fetched = added_, *turned = added_ + kWidth * count;  // [32, keys], [keys, 32]
  std::fill_n(fetched, 2 * kWidth * count, 0.0f);
  Row row = where_;
  for (Index r = 0; r < strip.rows; ++r) {
    row.query = strip.first + r;
    float* out = fetched + r * count;
    if (p_.bias != nullptr) p_.bias->add_values(row, keys.begin, end, out);
    if (p_.mask != nullptr && p_.mask->is_additive()) p_.mask->add_values(row, keys.begin, end, out);
  }
  TransposeIn(fetched, count, strip.rows, count, 1.0f, turned, kWidth);
  // Two finite numbers stay finite: a mask value of −FLT_MAX pushes a key away, only −inf hides it.
  const TileVector largest = hn::Set(d_, std::numeric_limits<float>::max());
  const auto finite_if = [&](hn::Mask<TileFloats> both, TileVector x) HWY_ATTR {
    return hn::IfThenElse(both, hn::Min(hn::Max(x, hn::Neg(largest)), largest), x);
  };
  for (Index i = 0; i < count * kWidth; i += lanes_) {
    const TileVector score = hn::Load(d_, scores_ + i), value = hn::Load(d_, turned + i);
    const auto finite = hn::IsFinite(value);
    const TileVector added = finite_if(finite, hn::Mul(value, hn::Set(d_, kLog2E)));
    hn::Store(finite_if(hn::And(finite, hn::IsFinite(score)), hn::Add(score, added)), d_, scores_ + i);
  }
}

// `value` wherever a query does not see a key, and at keys past the last.
void Bfloat16Block::FillHidden(const Strip& strip, const KeyRange& keys, float value, float* tile) const {
  if (keys.full) return;
  const Index end = std::min(keys.end, m_);
  strip.visible.fill_hidden(keys.begin, end, kWidth, value, tile);
  std::fill(tile + (end - keys.begin) * kWidth, tile + keys.count() * kWidth, value);
}

// Scores become pairs of rounded exponentials; factor_, the maximum before, becomes the factor of what was
// summed before.
void Bfloat16Block::Softmax(Strip& strip, Index keys) {
  auto* pairs = reinterpret_cast<std::uint32_t*>(exponentials_);
  for (Index at = 0; at < kWidth; at += lanes_) {
    // A row that has seen nothing yet has maximum −inf; taking 0 instead avoids −inf − −inf.
    const TileVector max = hn::Load(d_, strip.max + at);
    const TileVector safe = hn::IfThenElse(hn::Eq(max, hn::Set(d_, -kInfinity)), hn::Zero(d_), max);
    const auto exponential = [&](Index j) HWY_ATTR {
      const TileVector score = hn::Load(d_, scores_ + j * kWidth + at);
      return RoundToBfloat16(d_, Exp2NonPositive(d_, hn::Sub(score, safe)));
    };
    TileVector sum0 = hn::Zero(d_), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (Index j = 0; j < keys; j += 4) {
      const auto e0 = exponential(j), e1 = exponential(j + 1);
      const auto e2 = exponential(j + 2), e3 = exponential(j + 3);
      sum0 = hn::Add(sum0, hn::BitCast(d_, e0));
      sum1 = hn::Add(sum1, hn::BitCast(d_, e1));
      sum2 = hn::Add(sum2, hn::BitCast(d_, e2));
      sum3 = hn::Add(sum3, hn::BitCast(d_, e3));
      hn::Store(PairOfBfloat16(e0, e1), du_, pairs + j / 2 * kWidth + at);
      hn::Store(PairOfBfloat16(e2, e3), du_, pairs + (j / 2 + 1) * kWidth + at);
    }
    const TileVector sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    const TileVector factor = Exp2NonPositive(d_, hn::Sub(hn::Load(d_, factor_ + at), safe));
    hn::Store(factor, d_, factor_ + at);
    hn::Store(hn::MulAdd(hn::Load(d_, strip.sum + at), factor, sum), d_, strip.sum + at);
  }
}

void Bfloat16Block::AddValues(Strip& strip, const KeyRange& keys) {
  const Index rows = packed_.value_width();
  unit_.multiply(packed_.values(key_head_, keys.begin), rows,
                 reinterpret_cast<const std::uint32_t*>(exponentials_), keys.count(), product_,
                 unit_scratch_);
  for (Index at = 0; at < kWidth; at += lanes_) {
    const TileVector factor = hn::Load(d_, factor_ + at);
    for (Index i = at; i < rows * kWidth; i += kWidth) {
      hn::Store(hn::MulAdd(hn::Load(d_, strip.out + i), factor, hn::Load(d_, product_ + i)), d_,
                strip.out + i);
    }
  }
}

// The rare case of a hidden value that is not finite: pair by visible pair.
void Bfloat16Block::AddValuesOneByOne(Strip& strip, const KeyRange& keys) {
  const auto* pairs = reinterpret_cast<const std::uint32_t*>(exponentials_);
  const TileRows values = packed_.values(key_head_, keys.begin);
  std::fill_n(scores_, keys.count() * kWidth, 0.0f);
  FillHidden(strip, keys, 1.0f, scores_);
  for (Index c = 0; c < p_.value_width(); ++c) {
    for (Index r = 0; r < strip.rows; ++r) {
      float sum = 0;
      for (Index j = 0; j < keys.count(); ++j) {
        if (scores_[j * kWidth + r] != 0) continue;
        const std::uint32_t pair = pairs[j / 2 * kWidth + r];
        const std::uint16_t value =
            values.data[c * values.row_stride + j / kTileBlock * values.block_stride + j % kTileBlock];
        sum += bfloat16_to_float(static_cast<std::uint16_t>(j % 2 == 0 ? pair & 0xFFFFu : pair >> 16)) *
               bfloat16_to_float(value);
      }
      float& out = strip.out[c * kWidth + r];
      out = out * factor_[r] + sum;
    }
  }
}

// Rows of the output and the log-sum-exp. A row that saw nothing has sum 0 and gives zeros.
void Bfloat16Block::Store(Strip& strip) {
  for (Index r = 0; p_.logsumexp != nullptr && r < strip.rows; ++r) {
    const double log2_sum =
        static_cast<double>(strip.max[r]) + std::log2(static_cast<double>(strip.sum[r]));
    p_.logsumexp[head_index_ * p_.queries() + strip.first + r] =
        strip.sum[r] == 0 ? -kInfinity : static_cast<float>(log2_sum * 0.69314718055994530942);
  }
  for (Index r = 0; r < kWidth; ++r) strip.sum[r] = strip.sum[r] == 0 ? 0 : 1 / strip.sum[r];
  TransposeOut(strip.out, kWidth, p_.value_width(), strip.rows, strip.sum,
               p_.output_row(head_index_, strip.first), p_.output_row_stride);
}

void RunBfloat16Blocks(const Bfloat16Call& call, const Bfloat16Item* items, Index count) {
  Bfloat16Block block(call);
  for (Index i = 0; i < count; ++i) block.Run(items[i]);
  if (call.problem.tiles != nullptr) block.Count(*call.problem.tiles);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(RunBfloat16Blocks);

Index bfloat16_strips_per_block(const AttentionProblem& problem) {
  const Index strips = whole_tiles(problem.queries()) / kTileBlock * problem.heads();
  return std::clamp<Index>(strips / (8 * thread_count()), 1, 8);
}

void bfloat16_attention_forward(const AttentionProblem& problem, const TileUnit& unit) {
  apply_forced_instruction_set();
  if (problem.heads() == 0 || problem.queries() == 0) return;
  const Bfloat16Keys packed(problem);
  const Index per_block = bfloat16_strips_per_block(problem), queries = per_block * kTileBlock;
  // Last rows first: under a causal mask those see the most keys.
  std::vector<Bfloat16Item> items;
  for (Index head = 0; head < problem.heads(); ++head) {
    for (Index first = (problem.queries() - 1) / queries * queries; first >= 0; first -= queries) {
      const Index strips = whole_tiles(problem.queries() - first) / kTileBlock;
      items.push_back({head, first, std::min(per_block, strips)});
    }
  }
  const Bfloat16Call call{problem, packed, unit, per_block};
  const Index count = static_cast<Index>(items.size());
  const Index per_task = std::clamp<Index>(count / (8 * thread_count()), 1, 16);
  parallel_for((count + per_task - 1) / per_task, [&](Index task) {
    const UnitAtWork at_work(unit);
    const Index first = task * per_task;
    HWY_DYNAMIC_DISPATCH(RunBfloat16Blocks)(call, items.data() + first, std::min(per_task, count - first));
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
