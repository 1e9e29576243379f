// x · W (+ bias), with weights that may change between calls.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// x [.., E], w [E, F] → [.., F]. Any strides. Throws Error "[op] x is [3, 4], w_q is [5, 3]: expected [4,
// ..]".
Tensor project(const char* op, ConstView x, ConstView w, const char* w_name);

// x [.., E], w [F, E] as PyTorch keeps it, bias [F] or null → x Wᵀ + bias, [.., F].
Tensor project_transposed(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name);
// Into out [rows, F], rows contiguous, any stride between them.
void project_transposed(const char* op, ConstView x, ConstView w, const float* bias, const char* w_name,
                        View out);

}  // namespace fovea
