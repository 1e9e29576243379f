// Tensors of several parts, added or put side by side.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

// Their sum, in double and in order. Throws Error "<who> .." for different shapes.
FOVEA_PRIVATE_API Tensor added(const char* who, const std::vector<const Tensor*>& parts);

// One after the other along an axis counted from the end (0: the last). Throws Error "<who> .." unless all
// other extents are equal.
FOVEA_PRIVATE_API Tensor joined(const char* who, const std::vector<const Tensor*>& parts,
                                int axis_from_end);

}  // namespace internal
}  // namespace fovea
