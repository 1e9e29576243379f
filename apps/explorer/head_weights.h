// The weights of one head, or the mean of those of a layer: whole, cropped, in cells, row by row.
#pragma once

#include <string>

#include "parameters.h"

namespace fovea::explorer {

// [rows, keys] of the crop, as they stand in the whole matrix.
Tensor weights_of(const Capture& capture, const HeadChoice& choice, const Crop& crop);

// The bodies of the answers weights and rows.
std::string weights_bytes(const Capture& capture, const Parameters& parameters);
std::string rows_bytes(const Capture& capture, const Parameters& parameters);

}  // namespace fovea::explorer
