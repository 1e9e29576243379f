// T5's buckets of relative positions: exact for near keys, logarithmic for far ones.
#pragma once

#include "fovea/shape.h"

namespace fovea {

class T5Buckets {
 public:
  T5Buckets(Index buckets, Index max_distance, bool bidirectional);  // throws Error

  // The bucket of key − query, in [0, buckets).
  Index operator()(Index relative_position) const;

 private:
  Index per_side_;  // buckets of one direction; keys after the query use the second half
  Index max_distance_;
  bool bidirectional_;
};

}  // namespace fovea
