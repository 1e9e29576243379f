#pragma once

#include "module.h"

namespace fovea::command {

// Loads what measures, once. Throws Error if it is not installed or not built.
const bench::Module& load_benchmark();

}  // namespace fovea::command
