// The weights of one head, or the mean of those of a layer: whole, cropped, in cells, row by row.
#pragma once

#include <string>

#include "parameters.h"

namespace fovea::explorer {

// The bodies of the answers weights and rows.
std::string weights_bytes(const Run& run, const Parameters& parameters);
std::string rows_bytes(const Run& run, const Parameters& parameters);

}  // namespace fovea::explorer
