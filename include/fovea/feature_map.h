// Feature maps of linear attention.
#pragma once

#include <functional>

#include "fovea/api.h"

namespace fovea {

// φ, applied to every element of q and k. Should be ≥ 0 for weights that mean something.
class FOVEA_API FeatureMap {
 public:
  enum class Kind { elu_plus_one, relu, exp, identity, custom };

  FeatureMap() = default;                          // elu_plus_one
  static FeatureMap elu_plus_one() { return {}; }  // x ≥ 0: x + 1, else exp(x)
  static FeatureMap relu() { return FeatureMap(Kind::relu); }
  static FeatureMap exp() { return FeatureMap(Kind::exp); }
  static FeatureMap identity() { return FeatureMap(Kind::identity); }
  // Called from several threads at once. Gradients need the derivative, φ'(x).
  static FeatureMap custom(std::function<float(float)> function);
  static FeatureMap custom(std::function<float(float)> function, std::function<float(float)> derivative);

  Kind kind() const { return kind_; }
  float operator()(float x) const;

  bool has_derivative() const { return kind_ != Kind::custom || static_cast<bool>(derivative_); }
  float derivative(float x) const;  // of relu at 0: 0; throws Error when there is none

 private:
  explicit FeatureMap(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::elu_plus_one;
  std::function<float(float)> function_, derivative_;
};

}  // namespace fovea
