#include "core/stored_row.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/half.h"

namespace fovea {
inline namespace internal {

Int8Scale int8_scale(const float* from, Index count, Index stride) {
  float largest = 0, sum = 0;
  for (Index i = 0; i < count; ++i) {
    largest = std::max(largest, std::abs(from[i * stride]));
    sum += from[i * stride] * 0.0f;
  }
  if (std::isnan(sum)) return {sum, 0};
  const float scale = largest / 127;
  if (scale < std::numeric_limits<float>::min()) return {0, 0};
  return {scale, 1 / scale};
}

float store_row(FloatType type, const float* from, Index count, void* to) {
  if (type == FloatType::float32) {
    std::copy_n(from, count, static_cast<float*>(to));
  } else if (type == FloatType::int8) {
    const Int8Scale scale = int8_scale(from, count);
    if (scale.inverse == 0) {
      std::memset(to, 0, static_cast<std::size_t>(count));
    } else {
      std::transform(from, from + count, static_cast<std::int8_t*>(to),
                     [&](float x) { return static_cast<std::int8_t>(std::lrint(x * scale.inverse)); });
    }
    return scale.scale;
  } else {
    const auto round = type == FloatType::float16 ? float_to_half : float_to_bfloat16;
    std::transform(from, from + count, static_cast<std::uint16_t*>(to), round);
  }
  return 1;
}

void load_row(FloatType type, const void* from, float scale, Index count, float* to) {
  const auto* bits = static_cast<const std::uint16_t*>(from);
  switch (type) {
    case FloatType::float32:
      std::copy_n(static_cast<const float*>(from), count, to);
      return;
    case FloatType::float16:
      std::transform(bits, bits + count, to, half_to_float);
      return;
    case FloatType::bfloat16:
      std::transform(bits, bits + count, to, bfloat16_to_float);
      return;
    case FloatType::int8:
      break;
  }
  const auto* whole = static_cast<const std::int8_t*>(from);
  std::transform(whole, whole + count, to,
                 [scale](std::int8_t x) { return static_cast<float>(x) * scale; });
}

}  // namespace internal
}  // namespace fovea
