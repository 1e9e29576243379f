// The slow truth about the gradients of attention: scalar, double, in the order of the chain rule.
#pragma once

#include "fovea/attention.h"
#include "reference/double_array.h"

namespace fovea::reference {

struct AttentionGradients {
  DoubleArray dq, dk, dv;  // in the shapes of q, k, v
  DoubleArray
      dscores;  // [.., N, M]: by the scores after the softcap, that is, by bias and mask; hidden pairs 0
};

// Of the loss whose gradient by the output is doutput [.., N, Dv]. Shapes as fovea::attention. Builds the
// N×M matrix.
AttentionGradients attention_backward(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                                      const DoubleArray& doutput, const AttentionOptions& options = {});

}  // namespace fovea::reference
