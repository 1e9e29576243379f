// How many characters people see in a text.
#pragma once

#include <string_view>
#include <vector>

#include "fovea/shape.h"
#include "text/unicode/aligned_text.h"

namespace fovea {

struct CharacterCount {
  Index all = 0;
  Index unknown = 0;
};

// User-perceived characters (grapheme clusters) of valid UTF-8, but for white space, control and format
// characters. Those that one of the spans touches are unknown; the spans may overlap, in any order.
CharacterCount count_characters(std::string_view text, std::vector<ByteSpan> unknown);

}  // namespace fovea
