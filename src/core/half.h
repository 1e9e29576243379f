// The two 16-bit floating-point formats, from and to float32, by bits.
#pragma once

#include <cstdint>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

// IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits. To float32 exactly: subnormals, infinities, and NaN
// with its payload.
FOVEA_PRIVATE_API float half_to_float(std::uint16_t bits);

// Rounds to nearest, ties to even: over 65,519.99… becomes infinity, 2^−25 and less becomes zero. NaN stays
// NaN, quiet, with the upper ten bits of its payload.
FOVEA_PRIVATE_API std::uint16_t float_to_half(float value);

// bfloat16 is the upper half of a float32. Exact; and rounded as above.
FOVEA_PRIVATE_API float bfloat16_to_float(std::uint16_t bits);
FOVEA_PRIVATE_API std::uint16_t float_to_bfloat16(float value);

}  // namespace internal
}  // namespace fovea
