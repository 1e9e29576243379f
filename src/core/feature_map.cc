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

}  // namespace fovea
