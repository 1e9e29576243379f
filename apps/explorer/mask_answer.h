// What a mask expression hides.
#pragma once

#include <string>

#include "parameters.h"

namespace fovea::explorer {

std::string mask_json(const Parameters& parameters);

}  // namespace fovea::explorer
