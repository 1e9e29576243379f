// Attention of a decoder's tokens over the encoder's, with its projections, and back.
#pragma once

#include "fovea/attention.h"
#include "nn/attention_layer.h"
#include "train/buffer.h"
#include "train/linear.h"

namespace fovea {

// What the backward pass needs of the forward pass; N are the decoder's tokens, M the encoder's.
struct CrossAttentionState {
  Buffer query;       // [B·N, H·D], rows apart
  Buffer key_values;  // [B·M, 2 H·D], rows apart
  Buffer attended;    // [B·N, H·D]
  Buffer logsumexp;   // [B, H, N]
};

// Memory of the backward pass, for layer after layer.
struct CrossAttentionScratch {
  Buffer dquery, dkey_values, dattended;
};

// How the rows of a batch attend.
struct CrossAttentionCall {
  Index batch, tokens, memory_tokens;  // B, N, M
  AttentionOptions options;            // mask, dropout and its seed
};

struct CrossAttentionLayer {
  LinearLayer query, key_values, output;
  HeadSizes heads;

  // x [B·N, E] and memory [B·M, E] → y [B·N, E].
  void forward(ConstView x, ConstView memory, const CrossAttentionCall& call, CrossAttentionState& state,
               View y) const;
  // From dy: dx = .. + beta · dx, dmemory = .. + memory_beta · dmemory. dx may be dy.
  struct Gradients {
    View dx;
    float beta;
    View dmemory;
    float memory_beta;
  };
  void backward(ConstView x, ConstView memory, const CrossAttentionCall& call, CrossAttentionState& state,
                ConstView dy, CrossAttentionScratch& scratch, const Gradients& to) const;
};

}  // namespace fovea
