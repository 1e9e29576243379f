// Linear attention: φ(Q)(φ(K)ᵀV) / (φ(Q)·Σφ(K) + ε), without the N×M matrix and without 1/√D.
#pragma once

#include "fovea/feature_map.h"
#include "fovea/tensor.h"

namespace fovea {

struct LinearAttentionOptions {
  FeatureMap feature_map = FeatureMap::elu_plus_one();
  bool causal = false;  // query i sees keys 0 .. i + M − N
  float epsilon = 1e-6f;
};

// Shapes as of attention(): q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv] → [B, H, N, Dv]; also ranks
// 2, 3, 5. Time and memory grow with N + M.
Tensor linear_attention(ConstView q, ConstView k, ConstView v, const LinearAttentionOptions& = {});

}  // namespace fovea
