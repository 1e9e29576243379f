// Helpers of the training tests.
#pragma once

#include <string>
#include <vector>

#include "fovea/trainable_model.h"

namespace fovea::testing {

inline Flags to_flags(const Ids& ids) {
  return Flags(ids.shape(), std::vector<std::uint8_t>(ids.values().begin(), ids.values().end()));
}

// One after the other, in the order of model.parameters().
inline std::vector<float> all_gradients(const TrainableModel& model) {
  std::vector<float> all;
  for (const TrainableParameter& parameter : model.parameters()) {
    const ConstView g = model.gradient(parameter.name);
    all.insert(all.end(), g.data(), g.data() + parameter.shape.elements());
  }
  return all;
}
inline std::vector<float> all_parameters(const TrainableModel& model) {
  std::vector<float> all;
  for (const TrainableParameter& parameter : model.parameters()) {
    const ConstView p = model.parameter(parameter.name);
    all.insert(all.end(), p.data(), p.data() + parameter.shape.elements());
  }
  return all;
}

inline TrainableConfig tiny_config(ModelFamily family) {
  return {.family = family, .vocabulary = 10, .layers = 2, .heads = 2, .width = 16, .max_tokens = 16};
}

}  // namespace fovea::testing
