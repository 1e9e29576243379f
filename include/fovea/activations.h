// What passes through a model, read by its place.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/intervention.h"
#include "fovea/model.h"
#include "fovea/tensor.h"

namespace fovea {

// Runs the model once and keeps these, in the shapes that ActivationSite gives; of chosen heads, only
// those, in this order. Throws Error for places that the model does not have.
FOVEA_API std::vector<Tensor> activations(const Model& model, const ModelInput& input,
                                          const std::vector<ActivationPlace>& places,
                                          const RunOptions& options = {});

}  // namespace fovea
