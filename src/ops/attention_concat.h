// Attention whose heads come out side by side, as the next layer takes them.
#pragma once

#include "fovea/attention.h"

namespace fovea {

// q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv] → output [B, N, H·Dv]; weights and log-sum-exp as
// attention() gives them. Throws Error as it does.
AttentionResult attention_concat(ConstView q, ConstView k, ConstView v, const AttentionOptions& options);

// The output alone, in `out`, which is used again if it has this shape.
void attention_concat(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, Tensor& out);
void attention_concat(const TypedView& q, const TypedView& k, const TypedView& v,
                      const AttentionOptions& options, Tensor& out);

// Do so few queries share a key head that keys are widened in registers? Shapes may be wrong still.
bool is_decoded(const TypedView& q, const TypedView& k);

}  // namespace fovea
