// "Which path ran?": what attention() did, call by call.
#pragma once

#include <functional>
#include <string>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

// One call of attention(). Tiles are strips of queries × steps of keys.
struct FOVEA_API AttentionPath {
  std::string instruction_set;
  int threads = 1;
  std::string mode;            // "strips" or "decoding"
  Index strip_queries = 0;     // queries in a strip; in decoding, rows that share each key read
  Index strips_per_block = 0;  // strips that share a step of keys while it is in cache
  Index step_keys = 0;         // keys in a step; in decoding, keys in a split
  Index hidden = 0, full = 0, partial = 0;  // tiles skipped, tiles without mask code, tiles with
  Index gathered = 0;                       // steps over keys that were gathered (sparse masks)
  double seconds = 0;

  std::string to_string() const;  // one line
};

// Called after every attention() of any thread, by that thread; an empty function ends it. With
// FOVEA_VERBOSE=1 in the environment each call is told on standard error, unless an observer was set.
using AttentionObserver = std::function<void(const AttentionPath&)>;
FOVEA_API void observe_attention(AttentionObserver observer);

// The tile sizes that would be used for heads of this width, and the caches they were chosen for.
struct FOVEA_API TileSizes {
  Index l1_bytes = 0, l2_bytes = 0;  // per core
  Index strip_queries = 0, strips_per_block = 0, step_keys = 0;
};
FOVEA_API TileSizes tile_sizes(Index d_k = 64, Index d_v = 64);

}  // namespace fovea
