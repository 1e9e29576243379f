// Unsigned integers in the byte order of files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fovea {

// The integer at bytes[at ..]; the caller has checked that it is there.
template <typename Unsigned>
Unsigned little_endian(std::string_view bytes, std::size_t at) {
  Unsigned value = 0;
  for (std::size_t i = sizeof(Unsigned); i-- > 0;) {
    value = static_cast<Unsigned>(value << 8 | static_cast<unsigned char>(bytes[at + i]));
  }
  return value;
}

template <typename Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace fovea
