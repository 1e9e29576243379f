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

// What a token of a byte-level vocabulary writes: 你 for ä½ł, " cat" for Ġcat. Nothing if it writes no
// whole letters, as é by itself, which is a letter of other vocabularies, or the same letters.
FOVEA_PRIVATE_API std::optional<std::string> letters_of_bytes(std::string_view token);

}  // namespace internal
}  // namespace fovea
