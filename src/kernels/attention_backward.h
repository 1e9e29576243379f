// Fused attention, backward: the plain face of the SIMD code.
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace fovea::kernels {

// As in the forward pass: everything was checked, rows of v are contiguous. So are those of the output and
// of the gradients, which have any other strides; pointers are row-major.
struct AttentionBackwardProblem : ScoreProblem {
  ConstView v;                       // [A, B, Hkv, M, Dv]
  ConstView doutput;                 // [A, B, H, N, Dv], any strides
  ConstView output;                  // [A, B, H, N, Dv]
  View dq;                           // [A, B, H, N, D]
  View dk;                           // [A, B, Hkv, M, D]
  View dv;                           // [A, B, Hkv, M, Dv]
  const float* logsumexp = nullptr;  // [A, B, H, N]
  float dropout = 0;
  std::uint64_t seed = 0;
  float* dbias = nullptr;  // bias->data_shape(), or null without a bias
};

// Weights are computed again, tile by tile, from the log-sum-exp; five products per pair of query and key.
// Parallel over key heads and, if those are few, over pieces of the keys; the bits do not depend on the
// number of threads. Allocates three floats per query, a second dq if keys were cut into pieces, and, per
// piece at work, about 5 (D + Dv) floats for each query of a block, D + Dv for each key of the piece, and
// the mask's intervals of the block's rows.
void attention_backward(const AttentionBackwardProblem& problem);

}  // namespace fovea::kernels
