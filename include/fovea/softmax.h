// Softmax over any axis.
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {

// exp(x − max) / Σ exp(x − max) along `axis` (negative: from the end), the maximum taken of each row.
// −inf gets 0; a row of only −inf gives zeros; NaN makes its own row NaN. Same shape as x, row-major.
FOVEA_API Tensor softmax(ConstView x, int axis = -1);

}  // namespace fovea
