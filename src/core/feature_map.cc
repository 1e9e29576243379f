#include "fovea/feature_map.h"

#include <cmath>
#include <utility>

#include "core/fail.h"

namespace fovea {

FeatureMap FeatureMap::custom(std::function<float(float)> function) {
  if (!function) fail("[linear_attention] the custom feature map is an empty function");
  FeatureMap map(Kind::custom);
  map.function_ = std::move(function);
  return map;
}

FeatureMap FeatureMap::custom(std::function<float(float)> function,
                              std::function<float(float)> derivative) {
  if (!derivative) fail("[linear_attention] the derivative of the custom feature map is an empty function");
  FeatureMap map = custom(std::move(function));
  map.derivative_ = std::move(derivative);
  return map;
}

float FeatureMap::operator()(float x) const {
  switch (kind_) {
    case Kind::elu_plus_one:
      return x < 0 ? std::exp(x) : x + 1;
    case Kind::relu:
      return x < 0 ? 0.0f : x;
    case Kind::exp:
      return std::exp(x);
    case Kind::identity:
      return x;
    case Kind::custom:
      return function_(x);
  }
  return x;
}

float FeatureMap::derivative(float x) const {
  switch (kind_) {
    case Kind::elu_plus_one:
      return x < 0 ? std::exp(x) : 1.0f;
    case Kind::relu:
      return x <= 0 ? 0.0f : 1.0f;
    case Kind::exp:
      return std::exp(x);
    case Kind::identity:
      return 1;
    case Kind::custom:
      break;
  }
  if (!derivative_) {
    fail(
        "[linear_attention] the custom feature map has no derivative; FeatureMap::custom(function, "
        "derivative) gives it one");
  }
  return derivative_(x);
}

}  // namespace fovea
