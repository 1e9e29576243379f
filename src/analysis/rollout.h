// Â of each layer: what rollout multiplies and flow takes for capacities.
#pragma once

#include <vector>

#include "fovea/matrix.h"
#include "fovea/rollout.h"

namespace fovea {

// The layers of a run of one kind and one sequence that looks at itself. Throws Error that begins with
// "[op]" for any other.
std::vector<LayerView> self_attention_layers(const char* op, const Run& run);

// D⁻¹ (Ā + I) of one layer, [N, N]. Throws Error that begins with "[op]" for weights that are NaN.
Matrix residual_weights(const char* op, const LayerView& layer);

void check_position(const char* op, Index position, Index n);

}  // namespace fovea
