// Several heads or layers together: which heads are alike, and what reaches the last layer.
#pragma once

#include <string>

#include "fovea/head_similarity.h"
#include "parameters.h"

namespace fovea::explorer {

// Of all heads of a kind, layer by layer; of long texts from evenly spaced rows.
HeadSimilarity similarity_of(const Capture& capture, AttentionKind kind);
std::string similarity_bytes(const Capture& capture, AttentionKind kind);

// [L, N, N]: the product of the layers up to each of them. RequestError 422 where there is none (N ≠ M) or
// it would be too large.
Tensor rollout_of(const Capture& capture, AttentionKind kind);
std::string rollout_bytes(const Capture& capture, AttentionKind kind);
// {"row": [N]} of the last layer, for any N.
std::string rollout_row_bytes(const Capture& capture, AttentionKind kind, Index query);

}  // namespace fovea::explorer
