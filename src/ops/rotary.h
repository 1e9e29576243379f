// Rotary positions (RoPE) on queries or keys.
#pragma once

#include <vector>

#include "fovea/tensor.h"

namespace fovea {

// x [B, N, heads, D], last axis contiguous, D even, in place: features i and i + D/2 of the token at
// position p are turned by the angle p · frequencies[i] (D/2 of them). The token n stands at first + n.
void rotate_positions(View x, Index first, const std::vector<double>& frequencies);

}  // namespace fovea
