// Forward linear attention: states from blocks of keys, outputs from blocks of queries.
#include "kernels/linear_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/linear_attention_parts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace linear {

// The work on one key head, block by block.
class ForwardWork {
 public:
  explicit ForwardWork(const LinearHead& head)
      : head_(head),
        depth_(head.depth),
        padded_depth_(Padded(head.depth)),
        padded_values_(Padded(head.value_width)),
        padded_block_(Padded(kLinearBlock)),
        scratch_(kLinearBlock * (2 * padded_depth_ + 2 * padded_values_ + padded_block_) +
                 depth_ * padded_block_ + padded_block_),
        features_q_(scratch_.Take(kLinearBlock * padded_depth_)),
        features_k_(scratch_.Take(kLinearBlock * padded_depth_)),
        values_scratch_(scratch_.Take(kLinearBlock * padded_values_)),
        out_scratch_(scratch_.Take(kLinearBlock * padded_values_)),
        weights_{scratch_.Take(kLinearBlock * padded_block_), padded_block_},
        keys_transposed_(scratch_.Take(depth_ * padded_block_)),
        norms_(scratch_.Take(padded_block_)) {}

  void SumChunk(Index begin, Index end, float* state) {
    std::fill_n(state, StateSize(depth_, head_.value_width), 0.0f);
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadKeys(at, std::min(end, at + kLinearBlock));
      AddKeys(state);
    }
  }

  void ApplyFull(Index g, Index begin, Index end, const float* state) {
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadQueries(g, at, std::min(end, at + kLinearBlock));
      for (Index r = 0; r < queries_; ++r) norms_[r] = Dot(Query(r), Norms(state), padded_depth_);
      for (Index r = 0; r < queries_; ++r) norms_[r] = Normalize(r, norms_[r], 0);
      const Target target = OutputRows(g, at);
      MultiplyByState(state, target);
      StoreOutput(g, at, target);
    }
  }

  void Causal(Index begin, Index end, LinearRunningState& state) {
    const Index size = StateSize(depth_, head_.value_width), chunk = linear_chunk(depth_);
    const Index offset = head_.m - head_.n;  // query i stands at key i + offset
    for (Index at = begin, next; at < end; at = next) {
      next = std::min({end, at + kLinearBlock, at + chunk - state.rows});
      LoadKeys(at, next);
      const Index first_query = std::max<Index>(0, at - offset);
      if (first_query < next - offset) {
        TransposeRows({features_k_, padded_depth_}, keys_, depth_, keys_transposed_, Padded(keys_));
        values_are_finite_ = AllFinite(values_, keys_, padded_values_);
        for (Index g = 0; g < head_.group; ++g) {
          LoadQueries(g, first_query, next - offset);
          weights_.queries = queries_;
          weights_.keys = keys_;
          weights_.lead = first_query + offset - at;
          CausalBlock(g, first_query, state.running);
        }
      }
      AddKeys(state.total);
      state.rows = (state.rows + keys_) % chunk;
      AdvanceState(state, size, state.rows == 0);
    }
  }

 private:
  struct Target {
    float* data;
    Index stride;
  };

  float* Query(Index r) { return features_q_ + r * padded_depth_; }
  const float* Norms(const float* state) const { return state + depth_ * padded_values_; }

  void LoadKeys(Index begin, Index end) {
    keys_ = end - begin;
    ApplyFeatureMap(*head_.map, head_.keys(begin, end), depth_, features_k_);
    values_ = ReadableRows(head_.values(begin, end), head_.value_width, values_scratch_);
  }

  void LoadQueries(Index g, Index begin, Index end) {
    queries_ = end - begin;
    ApplyFeatureMap(*head_.map, head_.queries(g, begin, end), depth_, features_q_);
  }

  // state += φ(k)ᵀ [v, 1] over the keys of this block.
  void AddKeys(float* state) {
    MultiplyMatrices<TileEnd::add>({features_k_, 1, padded_depth_}, depth_, values_, keys_, padded_values_,
                                   state, padded_values_);
    AddRows(features_k_, keys_, padded_depth_, nullptr, state + depth_ * padded_values_);
  }

  // Divides φ(q) of row r, and its first `weights` weights, by norm + ε, and returns 1: the product then
  // needs no division. Where the reciprocal would leave the range of float32, returns what to divide by.
  float Normalize(Index r, float norm, Index weights) {
    const float denominator = norm + head_.epsilon;
    const float size = std::abs(denominator);
    if (!(size > 1e-36f && size < 1e36f)) return denominator;
    ScaleRow(1 / denominator, Query(r), padded_depth_);
    ScaleRow(1 / denominator, weights_.Row(r), weights);
    return 1;
  }

  Target OutputRows(Index g, Index row) {
    if (head_.value_width != padded_values_) return {out_scratch_, padded_values_};
    return {head_.out + g * head_.out_head_stride + row * head_.value_width, head_.value_width};
  }

  void MultiplyByState(const float* state, const Target& target) {
    MultiplyMatrices<TileEnd::store>({features_q_, padded_depth_, 1}, queries_, {state, padded_values_},
                                     depth_, padded_values_, target.data, target.stride);
  }

  void StoreOutput(Index g, Index row, const Target& target) {
    const Index width = head_.value_width;
    float* out = head_.out + g * head_.out_head_stride + row * width;
    for (Index r = 0; r < queries_; ++r, out += width) {
      if (target.data == out_scratch_) std::copy_n(target.data + r * target.stride, width, out);
      if (norms_[r] == 1) continue;
      for (Index c = 0; c < width; ++c) out[c] /= norms_[r];
    }
  }

  // The queries see the keys before this block, in `state`, and a triangle of the block.
  void CausalBlock(Index g, Index first_query, const float* state) {
    weights_.Multiply({features_q_, padded_depth_}, {keys_transposed_, Padded(keys_)}, depth_);
    for (Index r = 0; r < queries_; ++r) {
      const Index columns = Padded(weights_.Visible(r));
      const float norm = Dot(Query(r), Norms(state), padded_depth_) + Sum(weights_.Row(r), columns);
      norms_[r] = Normalize(r, norm, columns);
    }
    const Target target = OutputRows(g, first_query);
    MultiplyByState(state, target);
    weights_.AddToQueries(values_, values_are_finite_, padded_values_, target.data, target.stride);
    StoreOutput(g, first_query, target);
  }

  static float Sum(const float* x, Index padded_width) {
    const Floats d;
    FloatVector sum = hn::Zero(d);
    for (Index i = 0; i < padded_width; i += static_cast<Index>(hn::Lanes(d))) {
      sum = hn::Add(sum, hn::Load(d, x + i));
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
  }

  const LinearHead& head_;
  const Index depth_, padded_depth_, padded_values_, padded_block_;
  Scratch scratch_;
  float *const features_q_, *const features_k_;       // [block, Dp]
  float *const values_scratch_, *const out_scratch_;  // [block, Dvp]
  Triangle weights_;                                  // φ(q) · φ(k)
  float* const keys_transposed_;                      // [D, block]
  float* const norms_;                                // [block]: what is left to divide by
  VectorRows values_ = {};
  bool values_are_finite_ = true;
  Index keys_ = 0, queries_ = 0;  // rows of this block
};

}  // namespace linear

Index LinearStateSize(Index depth, Index value_width) { return linear::StateSize(depth, value_width); }

void LinearAddState(const float* x, Index state_size, float* sum) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < state_size; i += lanes) {
    hn::Store(hn::Add(hn::Load(d, sum + i), hn::Load(d, x + i)), d, sum + i);
  }
}

void LinearSumChunk(const LinearHead& head, Index begin, Index end, float* state) {
  linear::ForwardWork(head).SumChunk(begin, end, state);
}

void LinearApplyFull(const LinearHead& head, Index g, Index begin, Index end, const float* state) {
  linear::ForwardWork(head).ApplyFull(g, begin, end, state);
}

void LinearCausal(const LinearHead& head, Index begin, Index end, LinearRunningState& state) {
  linear::ForwardWork(head).Causal(begin, end, state);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(LinearStateSize);
HWY_EXPORT(LinearAddState);
HWY_EXPORT(LinearSumChunk);
HWY_EXPORT(LinearApplyFull);
HWY_EXPORT(LinearCausal);

Index linear_state_size(Index depth, Index value_width) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(LinearStateSize)(depth, value_width);
}

void linear_reset(const LinearRunningState& state, Index state_size) {
  for (float* part : {state.base, state.total, state.running}) std::fill_n(part, state_size, 0.0f);
}

void linear_add_state(const float* x, Index state_size, float* sum) {
  HWY_DYNAMIC_DISPATCH(LinearAddState)(x, state_size, sum);
}

void linear_sum_chunk(const LinearHead& head, Index begin, Index end, float* state) {
  HWY_DYNAMIC_DISPATCH(LinearSumChunk)(head, begin, end, state);
}

void linear_apply_full(const LinearHead& head, Index g, Index begin, Index end, const float* state) {
  HWY_DYNAMIC_DISPATCH(LinearApplyFull)(head, g, begin, end, state);
}

void linear_causal(const LinearHead& head, Index begin, Index end, LinearRunningState& state) {
  HWY_DYNAMIC_DISPATCH(LinearCausal)(head, begin, end, state);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
