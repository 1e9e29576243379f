// Which weights a dropout keeps: a pure function of seed, head, query and key.
//
// Nothing is stored: any pass, in any order, on any thread, gets the same answer again. The kernels hold
// the vector form of the same arithmetic; the reference uses this one.
#pragma once

#include <cmath>
#include <cstdint>

#include "fovea/shape.h"

namespace fovea {

// Two 32-bit keys of one row of weights; `head` counts batch entries and heads together (batch · H + h).
struct DropoutRow {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

inline std::uint64_t mix_bits(std::uint64_t x) {  // SplitMix64's finaliser
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline DropoutRow dropout_row(std::uint64_t seed, Index head, Index query) {
  const std::uint64_t keys = mix_bits(mix_bits(seed ^ mix_bits(static_cast<std::uint64_t>(head))) ^
                                      static_cast<std::uint64_t>(query));
  return {static_cast<std::uint32_t>(keys), static_cast<std::uint32_t>(keys >> 32)};
}

inline constexpr std::uint32_t kDropoutStep = 0x9e3779b9u;
inline constexpr std::uint32_t kDropoutMultiplier1 = 0x7feb352du;
inline constexpr std::uint32_t kDropoutMultiplier2 = 0x846ca68bu;

// 24 uniform random bits for key j of the row. The second key enters between two rounds: rows whose first
// keys are near each other do not become shifted copies.
inline std::uint32_t dropout_bits(DropoutRow row, Index key) {
  std::uint32_t x = static_cast<std::uint32_t>(key) * kDropoutStep + row.first;
  x = (x ^ (x >> 16)) * kDropoutMultiplier1;
  x = (x ^ (x >> 15)) * kDropoutMultiplier2;
  x ^= row.second;
  x = (x ^ (x >> 16)) * kDropoutMultiplier1;
  x = (x ^ (x >> 15)) * kDropoutMultiplier2;
  return (x ^ (x >> 16)) >> 8;
}

// Kept are the keys with dropout_bits ≥ threshold.
inline std::uint32_t dropout_threshold(float p) {
  return static_cast<std::uint32_t>(std::lround(p * 16777216.0f));
}

}  // namespace fovea
