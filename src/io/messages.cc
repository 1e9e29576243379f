#include "io/messages.h"

#include <fmt/core.h>

#include "core/utf8.h"

namespace fovea {

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::size_t shown = text.size();
  if (shown > kLongest) {
    shown = kLongest;  // and not within a UTF-8 sequence
    while (shown > kLongest - 4 && (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80) --shown;
  }
  const bool readable = is_utf8(text.substr(0, shown));
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !readable)) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + (shown < text.size() ? "…\"" : "\"");
}

}  // namespace fovea
