// Feature maps of linear attention.
#pragma once

#include <functional>

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

}  // namespace fovea
