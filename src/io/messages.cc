#include "io/messages.h"

#include <fmt/core.h>

namespace fovea {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::size_t shown = text.size();
  if (shown > kLongest) {
    shown = kLongest;  // and not within a UTF-8 sequence
    while (shown > kLongest - 4 && (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80) --shown;
  }
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + (shown < text.size() ? "…\"" : "\"");
}

}  // namespace fovea
