// What GET /api/captures/ID/NAME says of a run, for the server and for the Python package.
#pragma once

#include <stop_token>
#include <string>

#include "capture_store.h"
#include "parameters.h"
#include "whatif_store.h"

namespace fovea::explorer {

// "weights", "rows", "steps": of one head; "overview", "thumbnails", "similarity", "rollout": of all heads
// or layers, which takes seconds; "predictions", "cosine": of the model. JSON, or safetensors. What the
// parameters change of the run is made first. RequestError 404 for other names, and for what is not there.
std::string run_answer(CaptureStore& captures, WhatIfStore& whatif, const CapturePtr& capture,
                       const std::string& name, const Parameters& parameters, const std::stop_token& stop);

bool is_json(const std::string& name);  // else safetensors

}  // namespace fovea::explorer
