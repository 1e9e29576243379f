// AdamW over an array of parameters.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"
#include "kernels/adamw.h"

namespace fovea {
inline namespace internal {

// See kernels/adamw.h; the arrays are as long as the ranges say.
FOVEA_PRIVATE_API void adamw_step(const AdamWStep& step, const std::vector<ParameterRange>& ranges);
FOVEA_PRIVATE_API double sum_of_squares(const float* x, const std::vector<ParameterRange>& ranges);

}  // namespace internal
}  // namespace fovea
