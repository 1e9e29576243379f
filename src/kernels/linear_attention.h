// Linear attention of one piece of keys or queries: the plain face of the SIMD code.
#pragma once

#include "fovea/feature_map.h"
#include "fovea/shape.h"

namespace fovea::kernels {

// Row-major, features already applied: q and k hold φ(q), φ(k).
// A state is [D, Dv + 1]: Σ φ(k)ᵀ v, and in the last column Σ φ(k).
struct LinearRows {
  const float* rows;  // [count, stride]
  Index stride;
  Index count;
};

Index linear_state_size(Index depth, Index value_width);

// state += φ(k)ᵀ [v, 1] over all keys.
void linear_accumulate(const LinearRows& keys, const LinearRows& values, Index depth, Index value_width,
                       float* state);

// out row = φ(q) · state, divided by its last column + epsilon.
void linear_apply(const LinearRows& queries, Index depth, Index value_width, const float* state,
                  float epsilon, float* out);

// out [elements] = φ(x [elements]).
void apply_feature_map(const FeatureMap& map, const float* x, Index elements, float* out);

}  // namespace fovea::kernels
