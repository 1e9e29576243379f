// Backward linear attention, block by block; the header has the formulas.
#include "kernels/linear_attention_backward.h"

#include <algorithm>

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_attention_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/linear_attention_parts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace linear {

// Sᵀ [Dv, Dp], then z [Dp].
HWY_INLINE Index KeyStateSize(Index depth, Index value_width) { return (value_width + 1) * Padded(depth); }

// x [rows, padded width] *= φ'; `features` hold φ.
template <class Map>
HWY_NOINLINE void MultiplyByDerivative(const float* features, Index elements, float* x) {
  const Floats d;
  for (Index i = 0; i < elements; i += static_cast<Index>(hn::Lanes(d))) {
    hn::Store(hn::Mul(hn::Load(d, x + i), Map::Derivative(d, hn::Load(d, features + i))), d, x + i);
  }
}

// y [width] += factor · x [width], in whole vectors.
HWY_INLINE void AddScaled(float factor, const float* HWY_RESTRICT x, Index padded_width,
                          float* HWY_RESTRICT y) {
  const Floats d;
  const FloatVector f = hn::Set(d, factor);
  for (Index i = 0; i < padded_width; i += static_cast<Index>(hn::Lanes(d))) {
    hn::Store(hn::MulAdd(f, hn::Load(d, x + i), hn::Load(d, y + i)), d, y + i);
  }
}

class BackwardWork {
 public:
  explicit BackwardWork(const LinearBackwardHead& head)
      : head_(head),
        depth_(head.depth),
        width_(head.value_width),
        padded_depth_(Padded(depth_)),
        padded_width_(Padded(width_)),
        padded_block_(Padded(kLinearBlock)),
        chunk_(linear_chunk(depth_)),
        scratch_(kLinearBlock * (4 * padded_depth_ + 3 * padded_width_ + padded_block_) +
                 (depth_ + width_) * padded_block_ + width_ * padded_depth_),
        features_q_(scratch_.Take(kLinearBlock * padded_depth_)),
        features_k_(scratch_.Take(kLinearBlock * padded_depth_)),
        dfeatures_(scratch_.Take(kLinearBlock * padded_depth_)),
        norms_(scratch_.Take(kLinearBlock * padded_depth_)),
        upstream_(scratch_.Take(kLinearBlock * padded_width_)),
        values_scratch_(scratch_.Take(kLinearBlock * padded_width_)),
        dvalues_(scratch_.Take(kLinearBlock * padded_width_)),
        pairs_{scratch_.Take(kLinearBlock * padded_block_), padded_block_},
        keys_transposed_(scratch_.Take(depth_ * padded_block_)),
        values_transposed_(scratch_.Take(width_ * padded_block_)),
        queries_transposed_(scratch_.Take(width_ * padded_depth_)) {}

  void SumKeys(Index begin, Index end, float* state) {
    std::fill_n(state, KeyStateSize(depth_, width_), 0.0f);
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadKeys(at, std::min(end, at + kLinearBlock));
      AddKeys(state);
    }
  }

  void DifferentiateQueries(Index g, Index begin, Index end, const float* keys, float* queries) {
    std::fill_n(queries, StateSize(depth_, width_), 0.0f);
    const float* z = keys + width_ * padded_depth_;
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadQueries(g, at, std::min(end, at + kLinearBlock));
      for (Index r = 0; r < queries_; ++r) {
        denominators_[r] = Dot(Query(r), z, padded_depth_) + head_.epsilon;
      }
      LoadUpstream();
      MultiplyByKeys(keys);
      for (Index r = 0; r < queries_; ++r) AddNorm(r, z);
      StoreQueries();
      AddQueries(queries);
    }
  }

  void DifferentiateKeys(Index begin, Index end, const float* queries) {
    TransposeQueries(queries);
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadKeys(at, std::min(end, at + kLinearBlock));
      MultiplyByQueries(queries);
      StoreKeys(at);
    }
  }

  void DifferentiateCausalQueries(Index begin, Index end, LinearRunningState& state) {
    const Index size = KeyStateSize(depth_, width_);
    for (Index at = begin; at < end; at += kLinearBlock) {
      LoadKeys(at, std::min(end, at + kLinearBlock));
      if (HasQueries(at)) {
        const VectorRows values = TransposeValues(at);
        const bool finite = AllFinite({features_k_, padded_depth_}, keys_, padded_depth_);
        SumNorms(state.running + width_ * padded_depth_);
        for (Index g = 0; g < head_.group; ++g) {
          LoadQueriesAt(g, at);
          for (Index r = 0; r < queries_; ++r) {
            denominators_[r] = Dot(Query(r), Norm(pairs_.lead + r), padded_depth_) + head_.epsilon;
          }
          LoadUpstream();
          MultiplyByKeys(state.running);
          pairs_.Multiply({upstream_, padded_width_}, values, width_);
          pairs_.AddToQueries({features_k_, padded_depth_}, finite, padded_depth_, dfeatures_,
                              padded_depth_);
          for (Index r = 0; r < queries_; ++r) AddNorm(r, Norm(pairs_.lead + r));
          StoreQueries();
        }
      }
      AddKeys(state.total);
      AdvanceState(state, size, (at + keys_) % chunk_ == 0);
    }
  }

  void DifferentiateCausalKeys(Index begin, Index end, LinearRunningState& state) {
    const Index size = StateSize(depth_, width_);
    for (Index at = LastBlock(begin, end); at >= begin; at -= kLinearBlock) {
      LoadKeys(at, std::min(end, at + kLinearBlock));
      TransposeQueries(state.running);
      MultiplyByQueries(state.running);
      if (HasQueries(at)) {
        const VectorRows values = TransposeValues(at);
        TransposeRows({features_k_, padded_depth_}, keys_, depth_, keys_transposed_, Padded(keys_));
        for (Index g = 0; g < head_.group; ++g) {
          LoadQueriesAt(g, at);
          LoadUpstream();
          AddPairsToKeys(values);
          AddQueries(state.total);
        }
      }
      StoreKeys(at);
      AdvanceState(state, size, at % chunk_ == 0);
    }
  }

  void SumCausalQueries(Index begin, Index end, float* state) {
    std::fill_n(state, StateSize(depth_, width_), 0.0f);
    for (Index at = LastBlock(begin, end); at >= begin; at -= kLinearBlock) {
      keys_ = std::min(end, at + kLinearBlock) - at;
      if (!HasQueries(at)) continue;
      for (Index g = 0; g < head_.group; ++g) {
        LoadQueriesAt(g, at);
        LoadUpstream();
        AddQueries(state);
      }
    }
  }

 private:
  float* Query(Index r) { return features_q_ + r * padded_depth_; }
  float* Norm(Index j) { return norms_ + j * padded_depth_; }
  Index Offset() const { return head_.m - head_.n; }  // query i stands at key i + offset
  bool HasQueries(Index first_key) const { return first_key + keys_ > Offset(); }
  static Index LastBlock(Index begin, Index end) {
    return begin + (end - begin - 1) / kLinearBlock * kLinearBlock;
  }

  void LoadKeys(Index begin, Index end) {
    keys_ = end - begin;
    ApplyFeatureMap(*head_.map, head_.keys(begin, end), depth_, features_k_);
    values_ = {head_.v + begin * head_.v_stride, head_.v_stride, 1};
  }

  void LoadQueries(Index g, Index begin, Index end) {
    queries_ = end - begin;
    query_head_ = g;
    first_query_ = begin;
    denominators_ = head_.denominators + g * head_.n + begin;
    gammas_ = head_.gammas + g * head_.n + begin;
    ApplyFeatureMap(*head_.map, head_.queries(g, begin, end), depth_, features_q_);
  }

  // The queries that stand at the keys of this block.
  void LoadQueriesAt(Index g, Index first_key) {
    const Index first = std::max<Index>(0, first_key - Offset());
    LoadQueries(g, first, first_key + keys_ - Offset());
    pairs_.queries = queries_;
    pairs_.keys = keys_;
    pairs_.lead = first + Offset() - first_key;
  }

  // ĝ = doutput / denominator, row by row.
  void LoadUpstream() {
    const Floats d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index r = 0; r < queries_; ++r) {
      const float* from = head_.doutput + query_head_ * head_.doutput_head_stride +
                          (first_query_ + r) * head_.doutput_stride;
      float* row = upstream_ + r * padded_width_;
      std::copy_n(from, width_, row);
      std::fill(row + width_, row + padded_width_, 0.0f);
      const FloatVector denominator = hn::Set(d, denominators_[r]);
      // Zeros past the width stay zeros: 0 / 0 there would spoil the rows of the states.
      for (Index c = 0; c + lanes <= width_; c += lanes) {
        hn::Store(hn::Div(hn::Load(d, row + c), denominator), d, row + c);
      }
      for (Index c = width_ / lanes * lanes; c < width_; ++c) row[c] /= denominators_[r];
    }
  }

  VectorRows TransposeValues(Index first_key) {
    const VectorRows rows =
        ReadableRows(head_.values(first_key, first_key + keys_), width_, values_scratch_);
    TransposeRows(rows, keys_, width_, values_transposed_, Padded(keys_));
    return {values_transposed_, Padded(keys_)};
  }

  // Row j of the norms: Σ φ(k) up to key j of this block, `before` included.
  void SumNorms(const float* before) {
    for (Index j = 0; j < keys_; ++j) {
      std::copy_n(j == 0 ? before : Norm(j - 1), padded_depth_, Norm(j));
      AddScaled(1, features_k_ + j * padded_depth_, padded_depth_, Norm(j));
    }
  }

  // dφ(q) = ĝ · Sᵀ
  void MultiplyByKeys(const float* keys) {
    MultiplyMatrices<TileEnd::store>({upstream_, padded_width_, 1}, queries_, {keys, padded_depth_}, width_,
                                     padded_depth_, dfeatures_, padded_depth_);
  }

  // γ = −φ(q) · (S ĝ) / denominator, which is −ĝ · output; dφ(q) += γ z.
  void AddNorm(Index r, const float* z) {
    float* row = dfeatures_ + r * padded_depth_;
    gammas_[r] = -Dot(Query(r), row, padded_depth_) / denominators_[r];
    AddScaled(gammas_[r], z, padded_depth_, row);
  }

  void TransposeQueries(const float* queries) {
    TransposeRows({queries, padded_width_}, depth_, width_, queries_transposed_, padded_depth_);
  }

  // dφ(k) = v Gᵀ + y, dv = φ(k) G
  void MultiplyByQueries(const float* queries) {
    MultiplyMatrices<TileEnd::store>(values_, keys_, {queries_transposed_, padded_depth_}, width_,
                                     padded_depth_, dfeatures_, padded_depth_);
    const float* y = queries + depth_ * padded_width_;
    for (Index j = 0; j < keys_; ++j) AddScaled(1, y, padded_depth_, dfeatures_ + j * padded_depth_);
    MultiplyMatrices<TileEnd::store>({features_k_, padded_depth_, 1}, keys_, {queries, padded_width_},
                                     depth_, padded_width_, dvalues_, padded_width_);
  }

  // The triangle of this block: dφ(k)_j += Σ_i (ĝ_i · v_j + γ_i) φ(q)_i, dv_j += Σ_i (φ(q)_i · φ(k)_j) ĝ_i.
  void AddPairsToKeys(const VectorRows& values) {
    const VectorRows features{features_q_, padded_depth_}, upstream{upstream_, padded_width_};
    const bool finite =
        AllFinite(features, queries_, padded_depth_) && AllFinite(upstream, queries_, padded_width_);
    pairs_.Multiply(upstream, values, width_);
    for (Index r = 0; r < queries_; ++r) {
      for (Index j = 0; j < pairs_.Visible(r); ++j) pairs_.Row(r)[j] += gammas_[r];
    }
    pairs_.AddToKeys(features, finite, padded_depth_, dfeatures_, padded_depth_);
    pairs_.Multiply(features, {keys_transposed_, Padded(keys_)}, depth_);
    pairs_.AddToKeys(upstream, finite, padded_width_, dvalues_, padded_width_);
  }

  // Sᵀ += vᵀ φ(k), z += φ(k)
  void AddKeys(float* keys) {
    MultiplyMatrices<TileEnd::add>({values_.data, 1, values_.row_stride}, width_,
                                   {features_k_, padded_depth_}, keys_, padded_depth_, keys, padded_depth_);
    AddRows(features_k_, keys_, padded_depth_, nullptr, keys + width_ * padded_depth_);
  }

  // G += φ(q)ᵀ ĝ, y += γ φ(q)
  void AddQueries(float* queries) {
    MultiplyMatrices<TileEnd::add>({features_q_, 1, padded_depth_}, depth_, {upstream_, padded_width_},
                                   queries_, padded_width_, queries, padded_width_);
    AddRows(features_q_, queries_, padded_depth_, gammas_, queries + depth_ * padded_width_);
  }

  void StoreQueries() {
    const LinearRows x = head_.queries(query_head_, first_query_, first_query_ + queries_);
    StoreThroughMap(x, features_q_, head_.dq + (query_head_ * head_.n + first_query_) * depth_);
  }

  void StoreKeys(Index begin) {
    StoreThroughMap(head_.keys(begin, begin + keys_), features_k_, head_.dk + begin * depth_);
    for (Index j = 0; j < keys_; ++j) {
      std::copy_n(dvalues_ + j * padded_width_, width_, head_.dv + (begin + j) * width_);
    }
  }

  // out [count, D] = dφ · φ'(x)
  void StoreThroughMap(const LinearRows& x, const float* features, float* out) {
    const Index elements = x.count * padded_depth_;
    switch (head_.map->kind()) {
      case FeatureMap::Kind::elu_plus_one:
        MultiplyByDerivative<EluPlusOne>(features, elements, dfeatures_);
        break;
      case FeatureMap::Kind::relu:
        MultiplyByDerivative<Relu>(features, elements, dfeatures_);
        break;
      case FeatureMap::Kind::exp:
        MultiplyByDerivative<ExpMap>(features, elements, dfeatures_);
        break;
      case FeatureMap::Kind::identity:
        break;
      case FeatureMap::Kind::custom:
        for (Index r = 0; r < x.count; ++r) {
          for (Index i = 0; i < depth_; ++i) {
            dfeatures_[r * padded_depth_ + i] *=
                head_.map->derivative(x.data[r * x.stride + i * x.element_stride]);
          }
        }
    }
    for (Index r = 0; r < x.count; ++r) {
      std::copy_n(dfeatures_ + r * padded_depth_, depth_, out + r * depth_);
    }
  }

  const LinearBackwardHead& head_;
  const Index depth_, width_, padded_depth_, padded_width_, padded_block_, chunk_;
  Scratch scratch_;
  float *const features_q_, *const features_k_;   // [block, Dp]
  float* const dfeatures_;                        // [block, Dp]: dφ(q) or dφ(k)
  float* const norms_;                            // [block, Dp]: z of each key
  float* const upstream_;                         // [block, Dvp]: ĝ
  float *const values_scratch_, *const dvalues_;  // [block, Dvp]
  Triangle pairs_;
  float *const keys_transposed_, *const values_transposed_;  // [D, block], [Dv, block]
  float* const queries_transposed_;                          // [Dv, Dp]: Gᵀ
  TileFactor values_ = {};
  Index keys_ = 0, queries_ = 0, query_head_ = 0, first_query_ = 0;
  float *denominators_ = nullptr, *gammas_ = nullptr;  // of the queries of this block
};

}  // namespace linear

Index LinearKeyStateSize(Index depth, Index value_width) {
  return linear::KeyStateSize(depth, value_width);
}

void LinearBackwardSumKeys(const LinearBackwardHead& head, Index begin, Index end, float* state) {
  linear::BackwardWork(head).SumKeys(begin, end, state);
}

void LinearDifferentiateQueries(const LinearBackwardHead& head, Index g, Index begin, Index end,
                                const float* keys, float* queries) {
  linear::BackwardWork(head).DifferentiateQueries(g, begin, end, keys, queries);
}

void LinearDifferentiateKeys(const LinearBackwardHead& head, Index begin, Index end, const float* queries) {
  linear::BackwardWork(head).DifferentiateKeys(begin, end, queries);
}

void LinearDifferentiateCausalQueries(const LinearBackwardHead& head, Index begin, Index end,
                                      LinearRunningState& state) {
  linear::BackwardWork(head).DifferentiateCausalQueries(begin, end, state);
}

void LinearDifferentiateCausalKeys(const LinearBackwardHead& head, Index begin, Index end,
                                   LinearRunningState& state) {
  linear::BackwardWork(head).DifferentiateCausalKeys(begin, end, state);
}

void LinearBackwardSumCausalQueries(const LinearBackwardHead& head, Index begin, Index end, float* state) {
  linear::BackwardWork(head).SumCausalQueries(begin, end, state);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(LinearKeyStateSize);
HWY_EXPORT(LinearBackwardSumKeys);
HWY_EXPORT(LinearDifferentiateQueries);
HWY_EXPORT(LinearDifferentiateKeys);
HWY_EXPORT(LinearDifferentiateCausalQueries);
HWY_EXPORT(LinearDifferentiateCausalKeys);
HWY_EXPORT(LinearBackwardSumCausalQueries);

Index linear_key_state_size(Index depth, Index value_width) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(LinearKeyStateSize)(depth, value_width);
}
Index linear_query_state_size(Index depth, Index value_width) {
  return linear_state_size(depth, value_width);
}

void linear_backward_sum_keys(const LinearBackwardHead& head, Index begin, Index end, float* state) {
  HWY_DYNAMIC_DISPATCH(LinearBackwardSumKeys)(head, begin, end, state);
}

void linear_differentiate_queries(const LinearBackwardHead& head, Index g, Index begin, Index end,
                                  const float* keys, float* queries) {
  HWY_DYNAMIC_DISPATCH(LinearDifferentiateQueries)(head, g, begin, end, keys, queries);
}

void linear_differentiate_keys(const LinearBackwardHead& head, Index begin, Index end,
                               const float* queries) {
  HWY_DYNAMIC_DISPATCH(LinearDifferentiateKeys)(head, begin, end, queries);
}

void linear_differentiate_causal_queries(const LinearBackwardHead& head, Index begin, Index end,
                                         LinearRunningState& state) {
  HWY_DYNAMIC_DISPATCH(LinearDifferentiateCausalQueries)(head, begin, end, state);
}

void linear_differentiate_causal_keys(const LinearBackwardHead& head, Index begin, Index end,
                                      LinearRunningState& state) {
  HWY_DYNAMIC_DISPATCH(LinearDifferentiateCausalKeys)(head, begin, end, state);
}

void linear_backward_sum_causal_queries(const LinearBackwardHead& head, Index begin, Index end,
                                        float* state) {
  HWY_DYNAMIC_DISPATCH(LinearBackwardSumCausalQueries)(head, begin, end, state);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
