// Splitting into heads and joining them, right and wrong.
#pragma once

#include <vector>

#include "fovea/matrix.h"
#include "lessons/mistake_slips.h"

namespace fovea {

// q, k or v [N, H·D] as H matrices [N, D].
std::vector<Matrix> split_heads(const Matrix& wide, Index heads, const Slips& slips);

// H matrices [N, Dv] as one [N, H·Dv].
Matrix join_heads(const std::vector<Matrix>& outputs, const Slips& slips);

Matrix mean_of(const std::vector<Matrix>& matrices);

}  // namespace fovea
