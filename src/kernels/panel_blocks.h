// Panels of a matrix: columns that the register tile reads together.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// So many rows of a panel of three vectors stay in L1 (36 KiB with vectors of 64 bytes). Fixed: sums begin
// at zero in each block, so bits depend on it.
inline constexpr Index kDepthBlock = 192;
// Floats in a row of the widest panel: 4 vectors of 64 bytes.
inline constexpr Index kWidestPanel = 64;

}  // namespace fovea::kernels
