#include "fovea/base64.h"

#include <cstdint>

#include "core/fail.h"

namespace fovea {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;  // three bytes, or as many as there are, then zeros
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool there = at + i <= bytes.size();
      text += there ? kDigits[bits >> (18 - 6 * i) & 63u] : '=';
    }
  }
  return text;
}

std::string from_base64(std::string_view text, const std::string& where) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) fail("{}: base64 of {} digits is incomplete", where, text.size());
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0)
      fail("{}: byte {} is not a base64 digit", where, static_cast<int>(static_cast<unsigned char>(c)));
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> count & 0xFFu));
  }
  return bytes;
}

}  // namespace fovea
