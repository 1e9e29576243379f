// What is added to the scores, as matrices: bias and mask of each head.
#pragma once

#include <vector>

#include "fovea/bias.h"
#include "fovea/mask.h"
#include "fovea/matrix.h"

namespace fovea {

struct ScoreTerms {
  std::vector<Matrix> bias;  // one [N, M] per head; none: no bias
  std::vector<Matrix> mask;  // one [N, M] per head, 0, −inf or values; none: no mask
};

// For one batch entry; throws Error if the bias or the mask is for several.
ScoreTerms score_terms(const Bias& bias, const Mask& mask, Index heads, Index n, Index m);

}  // namespace fovea
