// The slow truth about attention: scalar, double, in the order of the paper.
#pragma once

#include "fovea/attention.h"
#include "reference/double_array.h"

namespace fovea::reference {

struct AttentionResult {
  DoubleArray output;     // [.., N, Dv]
  DoubleArray weights;    // [.., N, M], after dropout
  DoubleArray logsumexp;  // [.., N], before dropout
};

// Shapes as fovea::attention; always returns everything. Builds the N×M matrix.
AttentionResult attention(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                          const AttentionOptions& options = {});

DoubleArray softmax(const DoubleArray& x, int axis);  // negative: from the end, as fovea::softmax

// x [.., E] · w [E, F]
DoubleArray matmul(const DoubleArray& x, const DoubleArray& w);

}  // namespace fovea::reference
