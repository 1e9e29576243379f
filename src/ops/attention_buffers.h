// Attention and its gradients into memory that the caller has: what training does step after step.
#pragma once

#include "fovea/api.h"
#include "fovea/attention.h"

namespace fovea {
inline namespace internal {

// attention() with results in place: output [.., N, Dv], whose rows are contiguous and whose other strides
// are any; logsumexp [.., N], contiguous. options.weights is not looked at.
FOVEA_PRIVATE_API void attention_into(ConstView q, ConstView k, ConstView v,
                                      const AttentionOptions& options, View output, View logsumexp);

// What attention_backward() is given and gives. Rows of the output and of the gradients are contiguous, the
// log-sum-exp is; other strides are any.
struct AttentionBackwardBuffers {
  ConstView output, logsumexp, doutput;  // of the forward pass, twice; the gradient by its output
  View dq, dk, dv;                       // in the shapes of q, k, v
  float* dbias = nullptr;                // in the shape of the bias's data; null without a bias
};
FOVEA_PRIVATE_API void attention_backward_into(ConstView q, ConstView k, ConstView v,
                                               const AttentionOptions& options,
                                               const AttentionBackwardBuffers& buffers);

// The shape of a bias's data, in which its gradient comes.
FOVEA_PRIVATE_API Shape bias_data_shape(const Bias& bias);

}  // namespace internal
}  // namespace fovea
