// Forward attention with bfloat16 factors and float32 sums: the plain face of the SIMD code.
//
// Per strip of 32 queries and step of 128 keys: Sᵀ = K Qᵀ, the softmax of float32 scores, whose
// exponentials are rounded to bfloat16, and Oᵀ = Vᵀ Pᵀ. The sum that divides a row is that of the rounded
// exponentials: the output is a mean of rounded values, and lies among them.
//
// Relative L2 error against double for q, k, v from N(0, 1): at most 4e-3 (3.3e-3 measured at 4096 keys),
// and that of rounding q, k, v and the exponentials once each.
#pragma once

#include "kernels/attention.h"
#include "kernels/tile_unit.h"

namespace fovea::kernels {

// What the problem asks for but weights and dropout, on which it is silent: the caller refuses them.
// Decoding, and every type of stored keys and values, take this one path. Parallel over heads and blocks of
// queries; the bits depend on the unit and on the instruction set, not on the number of threads. Allocates
// k and v in bfloat16, and a few hundred floats per query at work.
void bfloat16_attention_forward(const AttentionProblem& problem, const TileUnit& unit);

// Strips that share a step of keys. Does not change a bit of the result.
Index bfloat16_strips_per_block(const AttentionProblem& problem);

}  // namespace fovea::kernels
