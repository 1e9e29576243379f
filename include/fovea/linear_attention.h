// Linear attention: φ(Q)(φ(K)ᵀV) / (φ(Q)·Σφ(K) + ε), without the N×M matrix and without 1/√D.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "fovea/tensor.h"

namespace fovea {

// φ, applied to every element of q and k. Should be ≥ 0 for weights that mean something.
class FeatureMap {
 public:
  enum class Kind { elu_plus_one, relu, exp, identity, custom };

  FeatureMap() = default;                          // elu_plus_one
  static FeatureMap elu_plus_one() { return {}; }  // x ≥ 0: x + 1, else exp(x)
  static FeatureMap relu() { return FeatureMap(Kind::relu); }
  static FeatureMap exp() { return FeatureMap(Kind::exp); }
  static FeatureMap identity() { return FeatureMap(Kind::identity); }
  // Called from several threads at once.
  static FeatureMap custom(std::function<float(float)> function);

  Kind kind() const { return kind_; }
  float operator()(float x) const;

 private:
  explicit FeatureMap(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::elu_plus_one;
  std::function<float(float)> function_;
};

struct LinearAttentionOptions {
  FeatureMap feature_map = FeatureMap::elu_plus_one();
  bool causal = false;  // query i sees keys 0 .. i + M − N
  float epsilon = 1e-6f;
};

// Shapes as of attention(): q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv] → [B, H, N, Dv]; also ranks
// 2, 3, 5. Time and memory grow with N + M.
Tensor linear_attention(ConstView q, ConstView k, ConstView v, const LinearAttentionOptions& = {});

}  // namespace fovea
