// Rotary positions: pairs of features turned by an angle that grows with the position.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// For each head of a token x [heads, width] of stride `head_stride`, in place: features i and
// i + width/2 are turned by the angle whose cosine and sine stand at i of cosines and sines [width/2].
void rotate_token(float* x, Index heads, Index head_stride, Index width, const float* cosines,
                  const float* sines);

}  // namespace fovea::kernels
