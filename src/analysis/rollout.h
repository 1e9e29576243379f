// Â of each layer: what rollout multiplies and flow takes for capacities.
#pragma once

#include <vector>

#include "fovea/matrix.h"
#include "fovea/rollout.h"

namespace fovea {

// D⁻¹ (Ā + I) of each layer, the first layer first. Throws Error that begins with "[op]".
std::vector<Matrix> residual_weights(const char* op, ConstView weights);
std::vector<Matrix> residual_weights(const char* op, const std::vector<RolloutLayer>& layers);

// The number of tokens of all layers. Throws Error if they differ, or a layer has several sequences or N ≠
// M.
Index tokens_of_layers(const char* op, const std::vector<RolloutLayer>& layers);

void check_position(const char* op, Index position, Index n);

}  // namespace fovea
