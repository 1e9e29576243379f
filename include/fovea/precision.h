// The arithmetic of a computation, as opposed to how its inputs are stored (float_type.h).
#pragma once

#include "fovea/api.h"

namespace fovea {

// bfloat16: factors of products are rounded to bfloat16 (8 significant bits), their sums kept in float32.
// Never chosen by itself: what is not asked for is computed in float32.
enum class Precision { float32, bfloat16 };

FOVEA_API const char* to_string(Precision precision);  // "float32", "bfloat16"

}  // namespace fovea
