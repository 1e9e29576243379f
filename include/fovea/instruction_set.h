// Which vector instructions the kernels use: listed, told, forced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"

namespace fovea {

// Names, best first, of those compiled in that this processor has: "avx512", "avx2",
// "sse4", "scalar" on x86; "sve2-128", "sve-256", "sve2", "sve", "neon", "scalar" on Arm. The
// last one is what the compiler was allowed to use everywhere: "scalar", unless -march or the like says
// more.
FOVEA_API std::vector<std::string> available_instruction_sets();

// The one in use: the best, unless forced by the environment variable FOVEA_ISA or by the call below.
FOVEA_API std::string instruction_set();

// Forces one for the whole process; "auto" returns to the best. Throws Error for a name that is not
// available, listing those that are. Not to be called while another thread computes.
FOVEA_API void force_instruction_set(std::string_view name);

// What computes Precision::bfloat16. If the instruction set in use is "avx512": "AMX" where the processor
// has its tiles and the system lets this process use them, or "AVX512_BF16" on processors of AMD that have
// it. Else "portable": float32 tiles.
FOVEA_API std::string bfloat16_arithmetic();

}  // namespace fovea
