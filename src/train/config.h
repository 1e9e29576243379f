// The config of a trainable model: what zeros mean, and config.json.
#pragma once

#include <string>

#include "fovea/trainable_model.h"
#include "io/json_fwd.h"

namespace fovea {

// Zeros replaced by what they mean. Throws one Error with everything that is wrong.
TrainableConfig completed(const TrainableConfig& config);

// config.json as transformers writes it, of a complete config. `half`: the weights are float16.
std::string config_json(const TrainableConfig& config, bool half);

}  // namespace fovea
