// A rectangle of a score matrix that is computed by itself, as a part of the whole.
#pragma once

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

// Queries [query_begin, query_end) of N, keys [key_begin, key_end) of M. A call on the part has
// query_end − query_begin queries and key_end − key_begin keys; masks, biases, positions and pictures are
// those of the whole: Mask::part, Bias::part.
struct FOVEA_API ScorePart {
  Index query_begin = 0, query_end = 0, queries = 0;  // queries: N
  Index key_begin = 0, key_end = 0, keys = 0;         // keys: M
};

}  // namespace fovea
