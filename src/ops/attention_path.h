// Whether anybody wants to know which path ran, and telling them.
#pragma once

#include "fovea/attention_path.h"
#include "kernels/attention.h"

namespace fovea {

// Runs the kernel; measures and tells if an observer is set.
void run_observed(kernels::AttentionProblem& problem);

}  // namespace fovea
