// The backward pass of linear attention for one key head and its query heads.
//
// With ĝ_i = doutput_i / denominator_i and γ_i = −(ĝ_i · output_i), both sums run over the visible pairs i
// ≥ j:
//   dφ(q)_i = Σ_j (ĝ_i · v_j + γ_i) φ(k)_j     from Sᵀ = Σ_j v_jᵀ φ(k)_j and z = Σ_j φ(k)_j
//   dφ(k)_j = Σ_i (ĝ_i · v_j + γ_i) φ(q)_i     from G = Σ_i φ(q)_iᵀ ĝ_i and y = Σ_i γ_i φ(q)_i
//   dv_j    = Σ_i (φ(q)_i · φ(k)_j) ĝ_i
// so one pass goes over the keys and queries, first to last, and one back, last to first.
#pragma once

#include "kernels/linear_attention.h"

namespace fovea::kernels {

// `out` of the head is not used. dq [group, N, D], dk [M, D], dv [M, Dv], denominators and gammas [group,
// N] are row-major; doutput [group, N, Dv] has any strides of heads and rows.
struct LinearBackwardHead : LinearHead {
  const float* doutput;
  Index doutput_head_stride, doutput_stride;
  float *dq, *dk, *dv;
  float *denominators, *gammas;  // written by the pass over queries, read by the pass over keys
};

// A state of keys is Sᵀ [Dv, D] and z [D]; a state of queries is G [D, Dv] and y [D]; rows padded.
Index linear_key_state_size(Index depth, Index value_width);
Index linear_query_state_size(Index depth, Index value_width);

// state = sum over keys [begin, end) of one chunk.
void linear_backward_sum_keys(const LinearBackwardHead& head, Index begin, Index end, float* state);
// All keys visible: dq of the queries [begin, end) of head g, one chunk, with their denominators and
// gammas, and the sum over them.
void linear_differentiate_queries(const LinearBackwardHead& head, Index g, Index begin, Index end,
                                  const float* keys, float* queries);
// All keys visible: dk and dv of keys [begin, end), from the sum over all queries.
void linear_differentiate_keys(const LinearBackwardHead& head, Index begin, Index end,
                               const float* queries);

// Causal: dq, denominators and gammas of the queries that stand at keys [begin, end); `state` holds the
// keys before `begin`, and afterwards those before `end`.
void linear_differentiate_causal_queries(const LinearBackwardHead& head, Index begin, Index end,
                                         LinearRunningState& state);
// Causal: dk and dv of keys [begin, end), last to first; `state` holds the queries at `end` and after.
void linear_differentiate_causal_keys(const LinearBackwardHead& head, Index begin, Index end,
                                      LinearRunningState& state);
// Causal: state = sum over the queries of all heads that stand at the keys [begin, end) of one chunk, in
// the order of linear_differentiate_causal_keys.
void linear_backward_sum_causal_queries(const LinearBackwardHead& head, Index begin, Index end,
                                        float* state);

}  // namespace fovea::kernels
