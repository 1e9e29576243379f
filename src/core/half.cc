#include "core/half.h"

#include <bit>

namespace fovea {
inline namespace internal {
namespace {

// Drops the `shift` lowest bits of `bits`, rounding to nearest, ties to even. A carry out of the mantissa
// moves into the exponent, which is what rounding up to the next power of two means.
std::uint32_t round_shift(std::uint32_t bits, int shift) {
  const std::uint32_t kept = bits >> shift;
  const std::uint32_t dropped = bits & ((1u << shift) - 1);
  const std::uint32_t half = 1u << (shift - 1);
  return kept + (dropped > half || (dropped == half && (kept & 1) != 0) ? 1u : 0u);
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  const std::uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);  // inf, NaN
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero and subnormals: exact
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t result = 0;
  if (magnitude > 0x7F800000u) {
    result = 0x7E00u | ((magnitude >> 13) & 0x3FFu);  // NaN
  } else if (magnitude >= 0x47800000u) {
    result = 0x7C00u;  // 2^16 and more: infinity
  } else if (magnitude >= 0x38800000u) {
    result = round_shift(magnitude - (112u << 23), 13);  // normal; may round up to infinity, rightly
  } else if (magnitude > 0x33000000u) {
    // Subnormal, over 2^−25: the mantissa with its hidden bit, in units of 2^−24.
    const auto exponent = static_cast<int>(magnitude >> 23);
    result = round_shift((magnitude & 0x7FFFFFu) | 0x800000u, 126 - exponent);
  }
  return static_cast<std::uint16_t>(sign | result);
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // NaN
  return static_cast<std::uint16_t>(round_shift(bits, 16));
}

}  // namespace internal
}  // namespace fovea
