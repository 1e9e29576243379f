// Hashing of untrusted keys: with a seed of this process, so that no file can be made to collide.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace fovea {

std::uint64_t hash_seed();

// Both halves of a 128-bit product, folded.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_number(std::uint64_t number, std::uint64_t seed) {
  return fold_multiply(number ^ seed, 0x9E3779B97F4A7C15u ^ (seed << 32 | seed >> 32));
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed ^ bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  const auto mix = [&](std::uint64_t word) { hash = hash_number(word ^ hash, seed); };
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    mix(word);
  }
  if (left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  return hash;
}

}  // namespace fovea
