// Names of kinds of attention.
#pragma once

#include <string>

#include "fovea/run.h"

namespace fovea::python {

// "encoder", "decoder" or "cross"; ValueError for others.
AttentionKind kind_of(const std::string& name);

}  // namespace fovea::python
