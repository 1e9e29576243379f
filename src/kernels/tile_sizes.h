// Tile sizes: what is fixed, and what follows from the caches.
#pragma once

#include "kernels/attention.h"

namespace fovea::kernels {

// Keys in a step. Fixed, because block sums start at zero there: bits would depend on it. Its keys and
// values stay in L2; between 64 and 256 it hardly matters for speed.
inline constexpr Index kKeyBlock = 128;
inline constexpr Index kScoreRows = kKeyBlock + 8;  // a register tile may round the number of keys up

struct CacheSizes {
  Index l1 = 0, l2 = 0;  // bytes per core
};
CacheSizes cache_sizes();  // as the system tells; 32 KiB and 512 KiB where it does not

// Strips that share a key block while it is in L2: as many as fit in half of it beside the block, but not
// so many that threads run out of work. Does not change a single bit of the result.
Index strips_per_block(const AttentionProblem& problem, Index strip_width);
// The first half of that, for D + Dv = `width`.
Index strips_in_cache(Index width, Index strip_width);

}  // namespace fovea::kernels
