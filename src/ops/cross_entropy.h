// Cross-entropy of logits with the ids they should have told, and its gradient.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

struct CrossEntropyOptions {
  float smoothing = 0;       // share of the target's probability that is spread over all classes
  bool gradient = true;      // leave it in the place of the logits
  float gradient_scale = 1;  // times this
};

struct CrossEntropyResult {
  double loss = 0;    // summed over the rows
  Index correct = 0;  // rows where no other class got more than the target
};

// logits [rows, V], contiguous, become their gradient: softmax is never kept beside them. targets: one
// class per row; throws Error for one that there is not.
FOVEA_PRIVATE_API CrossEntropyResult cross_entropy(View logits, const std::vector<Index>& targets,
                                                   const CrossEntropyOptions& options = {});

}  // namespace internal
}  // namespace fovea
