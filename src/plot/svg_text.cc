#include "plot/svg_text.h"

#include <cstddef>
#include <cstdint>

#include "core/number_text.h"
#include "core/utf8.h"

namespace fovea {

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const char32_t c = point.value;
    const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (!point.valid || control || c == 0xFFFE || c == 0xFFFF) {
      out += encode_utf8(0xFFFD);
    } else {
      out += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return out;
}

std::string svg_number(double value) {
  std::string text = fixed(value, 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace fovea
