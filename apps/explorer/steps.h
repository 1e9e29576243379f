// One head of a capture, step by step.
#pragma once

#include <map>
#include <string>

#include "fovea/head_steps.h"
#include "fovea/safetensors.h"
#include "parameters.h"

namespace fovea::explorer {

// The matrices under `prefix` + "x", "w_q", .. ; numbers about them are put in front of the same prefix
// into the metadata.
void add_steps(const HeadSteps& steps, const std::string& prefix, NamedArrays& arrays,
               std::map<std::string, StoredType>& types);

std::string steps_bytes(CaptureStore& store, const CapturePtr& stored, const Parameters& parameters);

}  // namespace fovea::explorer
