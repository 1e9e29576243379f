// The types in which numbers are stored.
#pragma once

#include "fovea/api.h"

namespace fovea {

// int8: whole numbers from −127 to 127 with a float32 scale per row of the last axis.
enum class FloatType { float32, float16, bfloat16, int8 };

// The name of a type, as options have it: "float32", "float16", "bfloat16", "int8".
FOVEA_API const char* to_string(FloatType type);

}  // namespace fovea
