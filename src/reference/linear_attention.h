// The slow truth about linear attention: weight by weight, scalar, double.
#pragma once

#include "fovea/linear_attention.h"
#include "reference/double_array.h"

namespace fovea::reference {

// Shapes as fovea::linear_attention. O(N·M) time; a query that sees no key yields zeros.
DoubleArray linear_attention(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                             const LinearAttentionOptions& options = {});

struct LinearAttentionGradients {
  DoubleArray dq, dk, dv;
};

// The gradient of Σ output · doutput, pair by pair.
LinearAttentionGradients linear_attention_backward(const DoubleArray& q, const DoubleArray& k,
                                                   const DoubleArray& v, const DoubleArray& doutput,
                                                   const LinearAttentionOptions& options = {});

}  // namespace fovea::reference
