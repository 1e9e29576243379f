// Sums over rows: the gradient of a bias.
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

// out [F] += Σ over the rows of x [rows, F], each of them contiguous.
FOVEA_PRIVATE_API void add_column_sums(ConstView x, View out);

}  // namespace internal
}  // namespace fovea
