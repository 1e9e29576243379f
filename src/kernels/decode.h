// Attention of one or a few queries against many keys: the plain face of the SIMD code.
#pragma once

#include "kernels/attention.h"
#include "kernels/key_order.h"

namespace fovea::kernels {

// The rows of all query heads that share a key head are computed together, so that each key and value is
// read once; more rows than this are better off in strips.
inline constexpr Index kMostDecodeRows = 16;

inline constexpr Index kSplitKeys = 1024;  // keys in a split

inline bool is_decoding(const ScoreProblem& problem) {
  return problem.group() * problem.queries() <= kMostDecodeRows;
}

// Keys are split at fixed places, splits run in parallel, and their results are merged in order: the bits
// do not depend on the number of threads. Allocates (Dv + 2) floats per row and split.
void attention_decode(const AttentionProblem& problem, KeyOrder order);

}  // namespace fovea::kernels
