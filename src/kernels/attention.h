// Fused attention, forward: the plain face of the SIMD code.
#pragma once

#include <cstdint>

#include "mask/bias_node.h"
#include "mask/mask_node.h"

namespace fovea::kernels {

// Everything was checked by the caller. Views have rank 5, [A, B, heads, rows, width]; rows of k and v are
// contiguous (stride 1 along the width). Results are row-major.
struct AttentionProblem {
  ConstView q;  // [A, B, H, N, D], any strides
  ConstView k;  // [A, B, Hkv, M, D]
  ConstView v;  // [A, B, Hkv, M, Dv]
  const MaskNode* mask = nullptr;
  const BiasNode* bias = nullptr;
  float scale = 1;
  float softcap = 0;
  float dropout = 0;
  std::uint64_t seed = 0;
  float* output = nullptr;     // [A, B, H, N, Dv]
  float* weights = nullptr;    // [A, B, H, N, M] or null
  float* logsumexp = nullptr;  // [A, B, H, N] or null
};

// Parallel over heads and blocks of queries; the bits do not depend on the number of threads. Allocates,
// per block at work, a few hundred floats per query plus the mask's intervals of its rows: O(M) at most per
// row.
void attention_forward(const AttentionProblem& problem);

}  // namespace fovea::kernels
