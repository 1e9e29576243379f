#include "core/utf8.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr CodePoint kInvalid{0xFFFD, 1, false};

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return kInvalid;
  char32_t value = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return kInvalid;
    value = value << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || surrogate || value > 0x10FFFF) return kInvalid;
  return {value, length, true};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) return false;
    at += point.bytes;
  }
  return true;
}

std::string encode_utf8(char32_t value) {
  const auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xC0u | value >> 6), byte(0x80u | (value & 0x3Fu))};
  if (value < 0x10000) {
    return {byte(0xE0u | value >> 12), byte(0x80u | (value >> 6 & 0x3Fu)), byte(0x80u | (value & 0x3Fu))};
  }
  return {byte(0xF0u | value >> 18), byte(0x80u | (value >> 12 & 0x3Fu)),
          byte(0x80u | (value >> 6 & 0x3Fu)), byte(0x80u | (value & 0x3Fu))};
}

bool is_white_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || value == 0x20 || value == 0x85 || value == 0xA0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const bool second_control_block = point.value >= 0x80 && point.value < 0xA0;
    if (!point.valid || second_control_block) {
      line += encode_utf8(0xFFFD);
    } else if (point.value < 0x20) {
      line += encode_utf8(0x2400 + point.value);  // the block of control pictures
    } else if (point.value == 0x7F) {
      line += encode_utf8(0x2421);
    } else {
      line += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return line;
}

}  // namespace internal
}  // namespace fovea
