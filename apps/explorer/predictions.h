// What a model predicts of a text, before and after a change; and how alike the vectors of two texts are.
#pragma once

#include <stop_token>
#include <string>

#include "whatif_store.h"

namespace fovea::explorer {

// top=K tokens at position=P, or where the model predicts by itself. Of encoders without an output layer,
// how far their vector moved. RequestError 422 for what predicts nothing.
std::string predictions_json(WhatIfStore& store, const CapturePtr& capture, const Parameters& parameters,
                             const std::stop_token& stop);

// Of two texts read by one encoder; off=.. switches heads off for both.
std::string cosine_json(WhatIfStore& store, const CapturePtr& a, const CapturePtr& b,
                        const Parameters& parameters, const std::stop_token& stop);

}  // namespace fovea::explorer
