#include "plot/readable_text.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>

#include "core/utf8.h"
#include "text/models/byte_alphabet.h"

namespace fovea {
namespace {

constexpr std::string_view kSpace = "␣", kNewline = "↵", kTab = "⇥";

// Without ink of their own, yet they change how their neighbours are drawn, or are missed. The joiners of
// emoji and Arabic letters (U+200C, U+200D) and variation selectors are parts of what is drawn, and stay.
bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x61C || c == 0x180E || c == 0x200B || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c & 0xFFFEu) == 0xFFFEu;
}

std::string_view space_mark(char32_t c) {
  switch (c) {
    case U' ':
    case U'\u0120':  // Ġ: a space in byte-level vocabularies
    case U'\u2581':  // ▁: in SentencePiece's
      return kSpace;
    case U'\u010A':  // Ċ
      return kNewline;
    case U'\u0109':  // ĉ
      return kTab;
    default:
      return {};
  }
}

}  // namespace

std::string readable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const char32_t c = point.value;
    if (!point.valid || c < 0x20 || (c >= 0x7F && c < 0xA0)) {
      if (c == '\n') {
        out += kNewline;
      } else if (c == '\t') {
        out += kTab;
      } else {
        out += fmt::format("\\x{:02X}", point.valid
                                            ? static_cast<unsigned>(c)
                                            : static_cast<unsigned>(static_cast<unsigned char>(text[at])));
      }
    } else if (is_invisible(c)) {
      out += fmt::format("U+{:04X}", static_cast<unsigned>(c));
    } else {
      out += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return out;
}

std::string readable_token(std::string_view token) {
  if (token.empty()) return "\"\"";
  const std::optional<std::string> letters = letters_of_bytes(token);
  if (letters) token = *letters;
  // Only at the ends: inside, Ġ and Ċ are letters of Maltese, and a space separates words.
  std::string before, after;
  while (!token.empty()) {
    const CodePoint first = decode_utf8(token, 0);
    const std::string_view mark = space_mark(first.value);
    if (mark.empty()) break;
    before += mark;
    token.remove_prefix(first.bytes);
  }
  while (!token.empty() && token.back() == ' ') {
    after += kSpace;
    token.remove_suffix(1);
  }
  return before + readable_text(token) + after;
}

}  // namespace fovea
