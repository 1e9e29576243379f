// Keys and values as the tiles of bfloat16 attention read them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention.h"
#include "kernels/tile_unit.h"

namespace fovea::kernels {

// k and v of all key heads, rounded to bfloat16, in whole blocks of 32 keys and widths: what is missing is
// 0. Parallel over keys. Allocates 2 bytes per element of k and v.
class Bfloat16Keys {
 public:
  explicit Bfloat16Keys(const AttentionProblem& problem);

  // Of keys `begin`, a multiple of 32, and following: [32.., D], Sᵀ = K Qᵀ.
  TileRows keys(Index key_head, Index begin) const;
  // The same of values, the other way round: [Dv, 32..], Oᵀ = Vᵀ Pᵀ. Stored as [blocks, Dv, 32].
  TileRows values(Index key_head, Index begin) const;
  // Are all values of these keys finite?
  bool finite(Index key_head, Index begin, Index end) const;

  Index padded_keys() const { return keys_; }
  Index depth() const { return depth_; }              // D, in whole blocks
  Index value_width() const { return value_width_; }  // Dv

 private:
  Index blocks() const { return keys_ / kTileBlock; }

  Index keys_, depth_, value_width_;
  Tensor memory_;  // holds both, 16 bits an element
  std::uint16_t *k_, *v_;
  std::vector<std::uint8_t> finite_;  // [key heads, blocks]
};

}  // namespace fovea::kernels
