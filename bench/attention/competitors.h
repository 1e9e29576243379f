// Who computes attention here.
#pragma once

#include "fovea/attention.h"

namespace fovea::bench {

// q, k, v [B, H, N, D], row-major → output of the same shape.
Tensor attention_by_fovea(const Tensor& q, const Tensor& k, const Tensor& v, bool causal);

// The textbook: per head Q·Kᵀ by OpenBLAS into an N×N matrix, softmax of its rows, times V by OpenBLAS.
Tensor attention_by_blas(const Tensor& q, const Tensor& k, const Tensor& v, bool causal);

}  // namespace fovea::bench
