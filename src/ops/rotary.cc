#include "ops/rotary.h"

#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"
#include "kernels/rotary.h"

namespace fovea {
inline namespace internal {

void rotate_positions(View x, Index first, const std::vector<double>& frequencies) {
  const Shape& shape = x.shape();
  if (shape.rank() != 4 || x.stride(3) != 1 || shape[3] != 2 * static_cast<Index>(frequencies.size())) {
    fail("[rotary] x is {} with a last stride of {}, expected [B, N, heads, {}] with 1", shape.to_string(),
         x.stride(shape.rank() - 1), 2 * frequencies.size());
  }
  const Index batch = shape[0], tokens = shape[1], heads = shape[2], width = shape[3];
  parallel_for(tokens, [&](Index n) {
    // Angles in double: at position 100,000 a float32 would be off by 0.004.
    std::vector<float> cosines, sines;
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(first + n) * frequency;
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
    for (Index b = 0; b < batch; ++b) {
      kernels::rotate_token(&x(b, n, 0, 0), heads, x.stride(2), width, cosines.data(), sines.data());
    }
  });
}

}  // namespace internal
}  // namespace fovea
