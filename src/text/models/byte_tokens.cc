#include "text/models/byte_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace fovea {

ByteTokens find_byte_tokens(const TokenTable& tokens) {
  ByteTokens ids{};
  for (std::size_t byte = 0; byte < ids.size(); ++byte)
    ids[byte] = tokens.find(fmt::format("<0x{:02X}>", byte));
  return ids;
}

bool has_all(const ByteTokens& tokens) {
  return std::none_of(tokens.begin(), tokens.end(), [](TokenId id) { return id == kNoToken; });
}

std::optional<unsigned char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  unsigned char byte = 0;
  const char* end = token.data() + 5;
  const auto [rest, error] = std::from_chars(token.data() + 3, end, byte, 16);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return byte;
}

}  // namespace fovea
