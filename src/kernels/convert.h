// 16-bit floats to float32: the plain face of the SIMD code.
#pragma once

#include <cstdint>

#include "fovea/shape.h"

namespace fovea::kernels {

// Exact: subnormals, infinities and NaN come out as half_to_float and bfloat16_to_float give them.
void float16_to_float32(const std::uint16_t* from, Index elements, float* to);
void bfloat16_to_float32(const std::uint16_t* from, Index elements, float* to);

}  // namespace fovea::kernels
