// Linear attention of one key head and the query heads that share it: the plain face of the SIMD code.
//
// Keys are summed in blocks, blocks in chunks; each sum starts at zero, and chunks are added in their
// order. So long sums stay exact, and the bits are the same whether chunks are summed one after the other
// or at the same time.
#pragma once

#include "fovea/feature_map.h"
#include "fovea/shape.h"

namespace fovea::kernels {

constexpr Index kLinearBlock =
    64;  // rows that are held in scratch memory at a time: L1 holds their features

// Keys per chunk: a state per chunk must not take more memory than the keys it was made from.
inline Index linear_chunk(Index depth) {
  const Index least = 4 * kLinearBlock;
  return depth <= least ? least : (depth + kLinearBlock - 1) / kLinearBlock * kLinearBlock;
}

// Element (r, i) stands at data[r · stride + i · element_stride].
struct LinearRows {
  const float* data;
  Index stride;
  Index element_stride;
  Index count;
};

// One key head: k [M, D] and v [M, Dv] with elements side by side; q [group, N, D] with any strides;
// out [group, N, Dv], row-major within a head.
struct LinearHead {
  const float *q, *k, *v;
  Index q_head_stride, q_stride, q_element_stride;
  Index k_stride, v_stride;
  float* out;
  Index out_head_stride;
  Index group, n, m, depth, value_width;
  const FeatureMap* map;
  float epsilon;

  LinearRows queries(Index g, Index begin, Index end) const {
    return {q + g * q_head_stride + begin * q_stride, q_stride, q_element_stride, end - begin};
  }
  LinearRows keys(Index begin, Index end) const { return {k + begin * k_stride, k_stride, 1, end - begin}; }
  LinearRows values(Index begin, Index end) const {
    return {v + begin * v_stride, v_stride, 1, end - begin};
  }
};

// A state is Σ φ(k)ᵀ v [D, Dv] and Σ φ(k) [D], rows padded to whole vectors; this many floats, aligned.
Index linear_state_size(Index depth, Index value_width);

// A sum that grows: `running` = `base` + `total`, where `total` holds the last `rows` keys, less than a
// chunk, and `base` those before. Each is a state.
struct LinearRunningState {
  float *base, *total, *running;
  Index rows;
};
void linear_reset(const LinearRunningState& state, Index state_size);  // all zeros

// sum += x, all states.
void linear_add_state(const float* x, Index state_size, float* sum);

// state = sum over keys [begin, end) of one chunk.
void linear_sum_chunk(const LinearHead& head, Index begin, Index end, float* state);

// Output rows [begin, end) of query head g, all keys visible. Scratch: O(block · (D + Dv)).
void linear_apply_full(const LinearHead& head, Index g, Index begin, Index end, const float* state);

// Output of all queries that stand at keys [begin, end): query i at key i + M − N. `state` holds the keys
// before `begin` and afterwards those before `end`. Scratch: O(block · (block + D + Dv)).
void linear_causal(const LinearHead& head, Index begin, Index end, LinearRunningState& state);

}  // namespace fovea::kernels
