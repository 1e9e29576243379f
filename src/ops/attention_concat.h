// Attention whose heads come out side by side, as the next layer takes them.
#pragma once

#include "fovea/attention.h"

namespace fovea {

// q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv] → out [B, N, H·Dv], used again if it has this shape.
// Of the options' results, only the output. Throws Error as attention() does.
void attention_concat(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, Tensor& out);

}  // namespace fovea
