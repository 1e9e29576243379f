// GPT-2's way to write any byte as a printable character: a space is Ġ, a line feed Ċ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

std::string bytes_as_characters(std::string_view bytes);

// Nothing if the text has a character that stands for no byte.
FOVEA_PRIVATE_API std::optional<std::string> characters_as_bytes(std::string_view text);

}  // namespace internal
}  // namespace fovea
