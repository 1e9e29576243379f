// Bytes as text of 64 characters (RFC 4648), for JSON, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

#include "fovea/api.h"

namespace fovea {

FOVEA_API std::string to_base64(std::string_view bytes);  // with its padding

// The padding may be missing. Throws Error "<where>: .." for other characters and for a single last digit.
FOVEA_API std::string from_base64(std::string_view text, const std::string& where = "[base64]");

}  // namespace fovea
