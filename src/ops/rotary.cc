#include "ops/rotary.h"

#include <algorithm>
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

RotaryTable::RotaryTable(Index positions, const std::vector<double>& frequencies)
    : positions_(positions), half_(static_cast<Index>(frequencies.size())) {
  for (Index n = 0; n < positions; ++n) {
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(n) * frequency;
      cosines_.push_back(static_cast<float>(std::cos(angle)));
      sines_.push_back(static_cast<float>(std::sin(angle)));
      negative_sines_.push_back(-sines_.back());
    }
  }
}

void RotaryTable::turn(View x, const std::vector<float>& sines) const {
  const Shape& shape = x.shape();
  if (shape.rank() != 4 || x.stride(3) != 1 || shape[3] != 2 * half_ || shape[1] > positions_) {
    fail("[rotary] x is {}, expected [B, up to {}, heads, {}] with contiguous rows", shape.to_string(),
         positions_, 2 * half_);
  }
  const Index tokens = shape[1], heads = shape[2], width = shape[3];
  constexpr Index kTokens = 64;  // in a task
  const Index count = shape[0] * tokens;
  parallel_for((count + kTokens - 1) / kTokens, [&](Index part) {
    for (Index i = part * kTokens; i < std::min(count, (part + 1) * kTokens); ++i) {
      const Index n = i % tokens;
      const auto at = static_cast<std::size_t>(n * half_);
      kernels::rotate_token(x.data() + i / tokens * x.stride(0) + n * x.stride(1), heads, x.stride(2),
                            width, cosines_.data() + at, sines.data() + at);
    }
  });
}

}  // namespace internal
}  // namespace fovea
