#include "text/steps/text_characters.h"

#include <algorithm>

#include "core/utf8.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// Two of these are two characters, but for \r\n, which is not seen: most texts need no more than this.
bool stands_alone(char32_t c) { return c < 0x80 || (c >= 0x3400 && c <= 0x9FFF); }

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }
bool is_seen_ascii(char byte) { return byte > 0x20 && byte != 0x7F; }

bool is_seen(char32_t c) {
  if (stands_alone(c)) return c > 0x20 && c != 0x7F;
  return !is_white_space(c) && !is_control_or_format(c);
}

}  // namespace

CharacterCount count_characters(std::string_view text, std::vector<ByteSpan> unknown) {
  const auto earlier = [](const ByteSpan& a, const ByteSpan& b) { return a.begin < b.begin; };
  if (!std::is_sorted(unknown.begin(), unknown.end(), earlier))
    std::sort(unknown.begin(), unknown.end(), earlier);
  CharacterCount count;
  auto span = unknown.begin();
  char32_t before = 0;
  int state = 0;
  bool seen = false, is_unknown = false;  // the character so far
  for (std::size_t at = 0; at < text.size();) {
    if (before < 0x80) {  // known ASCII: most of most texts
      const std::size_t from = at, end = span == unknown.end() ? text.size() : span->begin;
      for (; at < end && is_ascii(text[at]); ++at) count.all += is_seen_ascii(text[at]) ? 1 : 0;
      if (at > from) {
        before = static_cast<unsigned char>(text[at - 1]);
        state = 0, seen = is_seen(before), is_unknown = false;
        continue;
      }
    }
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    bool starts = true;
    if (stands_alone(before) && stands_alone(c)) {
      state = 0;
    } else {
      starts = begin == 0 || is_grapheme_break(before, c, state);
    }
    before = c;
    if (starts) {
      seen = is_seen(c);
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
