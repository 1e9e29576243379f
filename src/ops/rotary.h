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

// The angles of positions 0 .. N − 1, computed once for many calls.
class FOVEA_PRIVATE_API RotaryTable {
 public:
  RotaryTable() = default;
  RotaryTable(Index positions, const std::vector<double>& frequencies);

  Index positions() const { return positions_; }

  // x [B, N, heads, D], last axis contiguous, in place: as rotate_positions with first = 0.
  void rotate(View x) const { turn(x, sines_); }
  // Turns back. A rotation keeps lengths, so that this is its gradient, too: dx from dy.
  void rotate_back(View x) const { turn(x, negative_sines_); }

 private:
  void turn(View x, const std::vector<float>& sines) const;

  Index positions_ = 0, half_ = 0;
  std::vector<float> cosines_, sines_, negative_sines_;  // [N, D/2]
};

}  // namespace internal
}  // namespace fovea
