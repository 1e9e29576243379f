// Rotary positions (RoPE) on queries or keys.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

// x [B, N, heads, D], last axis contiguous, D even, in place: features i and i + D/2 of the token at
// position p are turned by the angle p · frequencies[i] (D/2 of them). The token n stands at first + n.
FOVEA_PRIVATE_API void rotate_positions(View x, Index first, const std::vector<double>& frequencies);

}  // namespace internal
}  // namespace fovea
