// Explicit weights at the border: every allowed rank as one, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "fovea/mask.h"
#include "fovea/tensor.h"
#include "mask/mask_node.h"

namespace fovea {

// [N, M] .. [A, B, H, N, M], seen as rank 5. Throws Error that begins with "[op]".
ConstView weights_as_rank_5(const char* op, ConstView weights);
ScoreExtents extents_of(ConstView rank_5);

// Row i of head h of entry b of the A·B batch entries, into `row`, which has M elements.
void read_row(ConstView rank_5, Index b, Index h, Index i, std::vector<double>& row);

// Throws Error naming the first place with a weight that is NaN, infinite or negative.
void check_weights(const char* op, ConstView weights);

// Throws Error if the mask does not fit, or hides a key that has a weight.
void check_hidden(const char* op, ConstView weights, const Mask& mask);

}  // namespace fovea
