#include "text/steps/text_characters.h"

#include <algorithm>

#include "core/utf8.h"
#include "text/unicode/unicode.h"

namespace fovea {

CharacterCount count_characters(std::string_view text, std::vector<ByteSpan> unknown) {
  std::sort(unknown.begin(), unknown.end(),
            [](const ByteSpan& a, const ByteSpan& b) { return a.begin < b.begin; });
  CharacterCount count;
  auto span = unknown.begin();
  char32_t before = 0;
  int state = 0;
  bool seen = false, is_unknown = false;  // the character so far
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    bool starts = true;
    if (before < 0x80 && c < 0x80) {
      state = 0;  // of ASCII only \r\n is one, and neither is seen
    } else {
      starts = begin == 0 || is_grapheme_break(before, c, state);
    }
    before = c;
    if (starts) {
      seen = !is_white_space(c) && !is_control_or_format(c);
      is_unknown = false;
      if (seen) ++count.all;
    }
    while (span != unknown.end() && span->end <= begin) ++span;
    if (seen && !is_unknown && span != unknown.end() && span->begin < at) {
      is_unknown = true;
      ++count.unknown;
    }
  }
  return count;
}

}  // namespace fovea
