// Code points of UTF-8 text, one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = true;  // false: a byte that is no UTF-8, value U+FFFD, one byte
};

// The code point that starts at text[at]; at < text.size(). Overlong forms and surrogates are not valid.
FOVEA_PRIVATE_API CodePoint decode_utf8(std::string_view text, std::size_t at);

// Is every byte part of a valid code point?
FOVEA_PRIVATE_API bool is_utf8(std::string_view text);

FOVEA_PRIVATE_API std::string encode_utf8(char32_t value);

// White space between words: ASCII, no-break, ideographic (U+3000) and the other Unicode spaces.
FOVEA_PRIVATE_API bool is_white_space(char32_t value);

// One line that cannot disturb a layout: control characters become their pictures (␊), invalid bytes
// U+FFFD.
FOVEA_PRIVATE_API std::string printable(std::string_view text);

}  // namespace internal
}  // namespace fovea
