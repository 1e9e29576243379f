// Copying a strided view into row-major memory.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// Writes the elements of `from` in row-major order to out[0 .. elements).
void strided_copy(ConstView from, float* out);

}  // namespace fovea
