// Rows of float32 numbers in the types that memory may keep them in.
#pragma once

#include "fovea/float_type.h"
#include "fovea/shape.h"

namespace fovea {
inline namespace internal {

constexpr Index bytes_of(FloatType type) {
  return type == FloatType::float32 ? 4 : type == FloatType::int8 ? 1 : 2;
}

// number ≈ scale · int8, int8 = round(number · inverse).
struct Int8Scale {
  float scale, inverse;
};
// Of numbers `stride` apart: the largest magnitude becomes 127. The scale is NaN and the inverse 0 if one
// of them is not finite; both are 0 if all are below the smallest normal number, which has no inverse.
Int8Scale int8_scale(const float* from, Index count, Index stride = 1);

// from [count], rounded to nearest → to. Gives the scale of int8, else 1.
float store_row(FloatType type, const float* from, Index count, void* to);
// And back: exactly; of int8, rounded once after the product.
void load_row(FloatType type, const void* from, float scale, Index count, float* to);

}  // namespace internal
}  // namespace fovea
