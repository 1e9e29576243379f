// Linear attention: φ(Q)(φ(K)ᵀV) / (φ(Q)·Σφ(K) + ε), without the N×M matrix and without 1/√D.
#pragma once

#include "fovea/api.h"
#include "fovea/feature_map.h"
#include "fovea/tensor.h"

namespace fovea {

struct FOVEA_API LinearAttentionOptions {
  FeatureMap feature_map = FeatureMap::elu_plus_one();
  bool causal = false;  // query i sees keys 0 .. i + M − N
  float epsilon = 1e-6f;
};

// Shapes as of attention(): q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv] → [B, H, N, Dv]; also ranks
// 2, 3, 5. Time and memory grow with N + M. A query that sees no key yields zeros.
FOVEA_API Tensor linear_attention(ConstView q, ConstView k, ConstView v,
                                  const LinearAttentionOptions& = {});

struct FOVEA_API LinearAttentionGradients {
  Tensor dq, dk, dv;  // shaped as q, k, v
};

// The gradient of Σ output · doutput, where output = linear_attention(q, k, v, options); doutput is shaped
// as the output. Nothing of the forward pass is needed. Time and memory grow with N + M. A custom feature
// map must have a derivative.
FOVEA_API LinearAttentionGradients linear_attention_backward(ConstView q, ConstView k, ConstView v,
                                                             ConstView doutput,
                                                             const LinearAttentionOptions& = {});

struct FOVEA_API LinearStreamConfig {
  Index heads = 1;
  Index kv_heads = 0;  // 0: as many as heads; heads is a multiple of it
  Index d_k = 0;       // D, must be given
  Index d_v = 0;       // Dv; 0: as D
};

// Causal linear attention of tokens that arrive one by one or a few at a time, with a state of fixed size:
// Hkv · D · (Dv + 1) sums, three times. Several sequences side by side are more heads: B·H over B·Hkv.
class FOVEA_API LinearAttentionStream {
 public:
  // options.causal has no meaning here: a token sees itself and all before it.
  explicit LinearAttentionStream(const LinearStreamConfig& config,
                                 const LinearAttentionOptions& options = {});

  // The next T tokens, q [H, T, D], k [Hkv, T, D], v [Hkv, T, Dv] → [H, T, Dv]; or one token, q [H, D],
  // k [Hkv, D], v [Hkv, Dv] → [H, Dv]. Equals linear_attention() with `causal` over all tokens so far,
  // within rounding. When it throws, for wrong shapes, the state stays as it was.
  Tensor append(ConstView q, ConstView k, ConstView v);

  Index tokens() const { return tokens_; }  // taken since the start or the last reset()
  void reset();

 private:
  LinearStreamConfig config_;
  LinearAttentionOptions options_;
  Index state_size_ = 0, tokens_ = 0;
  Tensor state_;         // [Hkv, 3, state_size_]
  bool shrunk_ = false;  // its sums of values are 2^64 times too small: large ones have been met

  void shrink_state();
};

}  // namespace fovea
