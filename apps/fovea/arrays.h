// Arrays from files given on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/named_tensors.h"

namespace fovea::command {

// The array called `key`. Without a key: the first of `usual` names that is there, or the only array.
// Integers become floats. Throws Error naming what the file holds.
Tensor pick_tensor(const NamedArrays& arrays, const std::optional<std::string>& key,
                   const std::vector<std::string>& usual);

}  // namespace fovea::command
