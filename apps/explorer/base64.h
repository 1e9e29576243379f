// Bytes as text.
#pragma once

#include <string>
#include <string_view>

namespace fovea::explorer {

std::string to_base64(std::string_view bytes);

}  // namespace fovea::explorer
