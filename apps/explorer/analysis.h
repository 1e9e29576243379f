// Several heads or layers together: which heads are alike, and what reaches the last layer. All throw
// Stopped if nobody waits for them any longer.
#pragma once

#include <stop_token>
#include <string>

#include "fovea/head_similarity.h"
#include "fovea/rollout.h"
#include "parameters.h"

namespace fovea::explorer {

// Of all heads of a kind, layer by layer; of long texts from evenly spaced rows.
HeadSimilarity similarity_of(const Run& run, AttentionKind kind, const std::stop_token& stop = {});
std::string similarity_bytes(const Run& run, AttentionKind kind, const std::stop_token& stop = {});

// [L, N, N]: the product of the layers up to each of them. RequestError 422 where there is none (N ≠ M) or
// it would be too large.
Tensor rollout_of(const Run& run, AttentionKind kind, const std::stop_token& stop = {});
std::string rollout_bytes(const Run& run, AttentionKind kind, const std::stop_token& stop = {});

// {"row": [N]}: one row of the last layer's rollout, for any N. RequestError 422 for N ≠ M.
void check_rollout(const Run& run, AttentionKind kind);
std::string rollout_row_bytes(const Run& run, AttentionKind kind, Index query, const std::stop_token& stop);

}  // namespace fovea::explorer
