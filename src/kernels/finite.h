// Are numbers finite?
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// Neither an infinity nor a NaN among them. As fast as they are read.
bool all_finite(const float* values, Index count);

}  // namespace fovea::kernels
