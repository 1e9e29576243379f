// The frequencies of rotary positions, as config files describe them.
#pragma once

#include <vector>

#include "models/config_reader.h"

namespace fovea {

// width/2 of them: theta^(−2i/width), changed as rope_scaling (rope_parameters in newer files) asks: types
// default, linear and llama3. Complains about others.
std::vector<double> rope_frequencies(ConfigReader& config, Index width);

// The same without any change.
std::vector<double> rope_frequencies(double theta, Index width);

}  // namespace fovea
