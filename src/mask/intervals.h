// Sets of keys as sorted intervals, and the set operations on them. Each costs O(intervals).
#pragma once

#include "fovea/api.h"
#include "mask/mask_node.h"

namespace fovea {
inline namespace internal {

// Appends `next` at the end, merged into the last interval if it touches or overlaps it. Empty ones are
// dropped. `next` must not begin before the last interval does.
FOVEA_PRIVATE_API void append(Intervals& set, Interval next);

// `out` must be another object than the inputs.
void intersect(const Intervals& a, const Intervals& b, Intervals& out);
FOVEA_PRIVATE_API void unite(const Intervals& a, const Intervals& b, Intervals& out);
void complement(const Intervals& a, Index m, Intervals& out);  // [0, m) without a

FOVEA_PRIVATE_API Index count_keys(const Intervals& set);
FOVEA_PRIVATE_API Index count_keys(const Intervals& set, Interval within);

// Sets the bits of keys [begin, end).
void set_bits(KeyBits& bits, Index begin, Index end);
// Appends the runs of ones among the first m bits.
void append_bits(const KeyBits& bits, Index m, Intervals& set);

// An empty list of intervals for the time of a scope, from a pool of this thread: the rows of a combined
// mask are asked for by the million, and each would otherwise allocate.
class ScratchIntervals {
 public:
  ScratchIntervals();
  ~ScratchIntervals();
  ScratchIntervals(const ScratchIntervals&) = delete;
  ScratchIntervals& operator=(const ScratchIntervals&) = delete;

  Intervals& operator*() { return intervals_; }

 private:
  Intervals intervals_;
};

}  // namespace internal
}  // namespace fovea
