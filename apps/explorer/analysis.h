// Several heads or layers together: which heads are alike, and what reaches the last layer.
#pragma once

#include <string>
#include <vector>

#include "fovea/head_similarity.h"
#include "fovea/rollout.h"
#include "parameters.h"

namespace fovea::explorer {

// Of all heads of a kind, layer by layer; of long texts from evenly spaced rows.
HeadSimilarity similarity_of(const Capture& capture, AttentionKind kind);
std::string similarity_bytes(const Capture& capture, AttentionKind kind);

// [L, N, N]: the product of the layers up to each of them. RequestError 422 where there is none (N ≠ M) or
// it would be too large.
Tensor rollout_of(const Capture& capture, AttentionKind kind);
std::string rollout_bytes(const Capture& capture, AttentionKind kind);

// One row of the last layer's rollout, for any N: step by step, so that somebody who no longer waits for a
// long one can stop it between two layers. RequestError 422 for N ≠ M. The capture must outlive it.
class RolloutRow {
 public:
  RolloutRow(const Capture& capture, AttentionKind kind, Index query);
  bool done() const { return layers_.empty(); }
  void follow_one_layer();    // from the last to the first
  std::string bytes() const;  // {"row": [N]}

 private:
  std::vector<RolloutLayer> layers_;  // still to be followed
  Tensor row_;                        // [N, 1]
};

}  // namespace fovea::explorer
