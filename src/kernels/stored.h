// Types of elements in memory that arithmetic sees as float32.
#pragma once

#include <cstdint>

#include "core/half.h"
#include "fovea/float_type.h"

namespace fovea::kernels {

struct StoredFloat16 {
  std::uint16_t bits;
};
struct StoredBfloat16 {
  std::uint16_t bits;
};

inline float widened(float x) { return x; }
inline float widened(StoredFloat16 x) { return half_to_float(x.bits); }
inline float widened(StoredBfloat16 x) { return bfloat16_to_float(x.bits); }
inline float widened(std::int8_t x) { return static_cast<float>(x); }

// body(null pointer to the type of the elements).
template <typename Body>
void with_stored_type(FloatType type, const Body& body) {
  switch (type) {
    case FloatType::float32:
      return body(static_cast<const float*>(nullptr));
    case FloatType::float16:
      return body(static_cast<const StoredFloat16*>(nullptr));
    case FloatType::bfloat16:
      return body(static_cast<const StoredBfloat16*>(nullptr));
    case FloatType::int8:
      return body(static_cast<const std::int8_t*>(nullptr));
  }
}

}  // namespace fovea::kernels
