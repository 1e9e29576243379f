// Is a text UTF-8?
#pragma once

#include <string_view>

namespace fovea {

// Strict: no overlong forms, no surrogates, nothing over U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace fovea
