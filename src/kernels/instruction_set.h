// Called by every kernel before it dispatches.
#pragma once

namespace fovea::kernels {

// Applies the environment variable FOVEA_ISA, once. Throws Error for a name that is not available.
void apply_forced_instruction_set();

}  // namespace fovea::kernels
