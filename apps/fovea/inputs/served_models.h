// The models that the explorer offers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explorer/capture_store.h"

namespace fovea::command {

// The one that was named, first; then those of fovea model list, here or not.
std::vector<explorer::ServedModel> served_models(const std::optional<std::string>& named);

// The first that is here. Throws Error that says how to get one.
std::string chosen_model(const std::vector<explorer::ServedModel>& models);

}  // namespace fovea::command
