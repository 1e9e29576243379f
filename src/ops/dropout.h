// Dropout between layers, with the sum of the residual stream.
#pragma once

#include <cstdint>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

struct DropoutOptions {
  float p = 0;             // share that is dropped; kept elements are scaled by 1 / (1 − p)
  std::uint64_t seed = 0;  // which ones: a function of seed, row and column, so that nothing is stored
};

// y = dropout(x), [rows, E], contiguous; y may be x. The same call on dy gives dx.
FOVEA_PRIVATE_API void dropout(ConstView x, const DropoutOptions& options, View y);
// y = residual + dropout(x); y may be either. The gradient by the residual is dy itself.
FOVEA_PRIVATE_API void add_dropout(ConstView x, ConstView residual, const DropoutOptions& options, View y);

}  // namespace internal
}  // namespace fovea
