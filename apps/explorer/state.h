// What the page asks first: models, captures, limits, colours, definitions.
#pragma once

#include <string>
#include <vector>

#include "capture_store.h"

namespace fovea::explorer {

std::string state_json(const std::vector<ModelState>& models,
                       const std::vector<const StoredCapture*>& captures, const Limits& limits);

}  // namespace fovea::explorer
