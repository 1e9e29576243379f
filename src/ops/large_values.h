// Means of values near the end of float32.
//
// Attention is a weighted mean, whose weights are divided by their sum at the end. The mean of a thousand
// values of 1e37 is 1e37, but their sum is not a float32. Values that large are hardly ever met, so nothing
// is done about them beforehand: results that are not finite are looked at, and computed again with values
// that are 2^64 times smaller, an exact operation on all that count in such a sum.
#pragma once

#include "fovea/tensor.h"
#include "kernels/attention.h"

namespace fovea {

inline constexpr float kValueShrink = 0x1p-64f, kValueGrow = 0x1p64f;

// Is there a finite value beyond ±2^64? Sums of smaller ones stay within float32 for any number of keys.
bool has_large_values(const ConstView& v);

Tensor shrunk_values(const ConstView& v);  // v · 2^-64

// out = again · 2^64, wherever `out` is not finite.
void take_where_not_finite(const float* again, Index count, float* out);

// kernels::attention_forward, with outputs that are finite where the mean is.
void attention_of_any_values(const kernels::AttentionProblem& problem);

}  // namespace fovea
