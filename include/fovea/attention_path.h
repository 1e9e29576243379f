// "Which path ran?": what attention() and the other operations did, call by call.
#pragma once

#include <functional>
#include <string>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

// One call of an operation that computes much: attention, attention_backward, attention_statistics and its
// kin, linear_attention and its backward, softmax, dense layers and products of matrices.
struct FOVEA_API CallPath {
  std::string operation;        // "attention_backward"
  std::string shapes;           // "q [2, 8, 512, 64], k [2, 8, 512, 64]"
  std::string instruction_set;  // "avx2"
  int threads = 1;
  std::string path;  // "strips: 24 queries × 96 keys"
  double seconds = 0;

  std::string to_string() const;  // one line
};

// Called after every such call of any thread, by that thread; an empty function ends it. With
// FOVEA_VERBOSE=1 in the environment each call is reported on standard error, unless an observer was set.
using CallObserver = std::function<void(const CallPath&)>;
FOVEA_API void observe_calls(CallObserver observer);

// One call of attention(), in numbers. Tiles are strips of queries × steps of keys.
struct FOVEA_API AttentionPath {
  std::string shapes;  // "q [2, 8, 512, 64], k [2, 8, 512, 64], v [2, 8, 512, 64]"
  std::string instruction_set;
  int threads = 1;
  std::string mode;            // "strips", "decoding", "bfloat16 " and bfloat16_arithmetic()
  Index strip_queries = 0;     // queries in a strip; in decoding, rows that share each key read
  Index strips_per_block = 0;  // strips that share a step of keys while it is in cache
  Index step_keys = 0;         // keys in a step; in decoding, keys in a split
  Index hidden = 0, full = 0, partial = 0;  // tiles skipped, tiles without mask code, tiles with
  Index gathered = 0;                       // steps over keys that were gathered (sparse masks)
  double seconds = 0;

  std::string to_string() const;  // one line
};

// Called after every attention() of any thread, by that thread; an empty function ends it. While it is set,
// attention() is told to it alone.
using AttentionObserver = std::function<void(const AttentionPath&)>;
FOVEA_API void observe_attention(AttentionObserver observer);

// The tile sizes that would be used for heads of this width, and the caches they were chosen for.
struct FOVEA_API TileSizes {
  Index l1_bytes = 0, l2_bytes = 0;  // per core
  Index strip_queries = 0, strips_per_block = 0, step_keys = 0;
};
FOVEA_API TileSizes tile_sizes(Index d_k = 64, Index d_v = 64);

}  // namespace fovea
