// Gradients of MultiHeadAttention: by its inputs, all of its parameters, and the data of a position bias.
#pragma once

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/multi_head_attention.h"
#include "fovea/tensor.h"

namespace fovea {

// Each in the shape of what it belongs to.
struct FOVEA_API MultiHeadGradients {
  // By the inputs. Of self-attention dquery is that by x, and the others are empty(); of a query and a
  // memory dkey is that by the memory, and dvalue is empty().
  Tensor dquery, dkey, dvalue;
  MultiHeadAttention::Parameters dparameters;  // biases empty() where the module has none
  Tensor dbias;  // by the data of options.bias, as attention_backward() gives it; empty() without one
};

// One forward pass of the module with all that its backward pass needs: projections, heads and log-sum-exp,
// O(N + M), no matrix of weights. Module and inputs must outlive it and stay as they are. Dropout acts as
// in the module's own call: in training mode.
class FOVEA_API MultiHeadPass {
 public:
  // As the three calls of MultiHeadAttention; throws Error as they do. options.weights is not looked at.
  MultiHeadPass(const MultiHeadAttention& module, ConstView x, const AttentionOptions& = {});
  MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView memory,
                const AttentionOptions& = {});
  MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView key, ConstView value,
                const AttentionOptions& = {});

  const Tensor& output() const { return output_; }  // what the module gives, [B, N, E]

  // From the gradient by the output. The bits do not depend on the number of threads.
  MultiHeadGradients backward(ConstView doutput) const;

 private:
  enum class Inputs { self, memory, three };
  MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView key, ConstView value,
                const AttentionOptions& options, Inputs inputs);

  const MultiHeadAttention& module_;
  Inputs inputs_;
  ConstView query_, key_, value_;  // [B, N, E], [B, M, E] twice
  AttentionOptions options_;
  Tensor q_, k_, v_;             // rows of all heads side by side, a little apart
  Tensor attended_, logsumexp_;  // [B·N, H·d_v], [B, H, N]
  Tensor output_;
};

}  // namespace fovea
