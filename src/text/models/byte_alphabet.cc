#include "text/models/byte_alphabet.h"

#include <array>

#include "core/utf8.h"
#include "fovea/tokenizer.h"
#include "text/unicode/unicode.h"

namespace fovea {
inline namespace internal {
namespace {

// Printable bytes of Latin-1 stand for themselves, the others are numbered from U+0100 on.
struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int, 0x144> bytes;  // by code point; -1: none

  Alphabet() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
      const char32_t character = printable ? static_cast<char32_t>(byte) : next++;
      characters[static_cast<std::size_t>(byte)] = encode_utf8(character);
      bytes[character] = byte;
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

std::string bytes_as_characters(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) text += alphabet().characters[static_cast<unsigned char>(c)];
  return text;
}

std::optional<std::string> characters_as_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const int byte = c < alphabet().bytes.size() ? alphabet().bytes[c] : -1;
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(static_cast<unsigned char>(byte));
  }
  return bytes;
}

std::optional<std::string> letters_of_bytes(std::string_view token) {
  std::optional<std::string> bytes = characters_as_bytes(token);
  if (!bytes || bytes->size() == token.size()) return std::nullopt;
  for (std::size_t at = 0; at < bytes->size();) {
    const CodePoint point = decode_utf8(*bytes, at);
    if (!point.valid) return std::nullopt;
    at += point.bytes;
  }
  return bytes;
}

}  // namespace internal

std::string token_in_letters(std::string_view token) {
  const std::optional<std::string> letters = letters_of_bytes(token);
  if (!letters) return std::string(token);
  std::string text;
  for (std::size_t at = 0; at < letters->size();) {
    const CodePoint point = decode_utf8(*letters, at);
    const std::string_view letter = std::string_view(*letters).substr(at, point.bytes);
    text += point.value < 0x80 ? bytes_as_characters(letter) : std::string(letter);
    at += point.bytes;
  }
  return text;
}

}  // namespace fovea
