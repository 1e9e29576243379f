// The .npz format, in memory.
#pragma once

#include <string>
#include <string_view>

#include "fovea/named_tensors.h"

namespace fovea {

// Throws Error "<where>: ..".
NamedArrays parse_npz(std::string_view bytes, const std::string& where);

}  // namespace fovea
