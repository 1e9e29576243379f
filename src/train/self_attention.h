// Attention of tokens over each other, with its projections, and back.
#pragma once

#include "fovea/attention.h"
#include "nn/attention_layer.h"
#include "ops/rotary.h"
#include "train/buffer.h"
#include "train/linear.h"

namespace fovea {

// What the backward pass needs of the forward pass: O(N) numbers, the weights are computed again.
struct SelfAttentionState {
  Buffer qkv;        // [B·N, (H + 2 Hkv) D], rows apart; queries and keys after their rotation
  Buffer attended;   // [B·N, H·D]
  Buffer logsumexp;  // [B, H, N]
};

// Memory of the backward pass, for layer after layer.
struct SelfAttentionScratch {
  Buffer dqkv, dattended;
};

// How the rows of a batch attend.
struct SelfAttentionCall {
  Index batch, tokens;
  AttentionOptions options;             // mask, dropout and its seed
  const RotaryTable* rotary = nullptr;  // of the positions, or none
};

struct SelfAttentionLayer {
  LinearLayer qkv, output;
  HeadSizes heads;

  // x [B·N, E] → y [B·N, E].
  void forward(ConstView x, const SelfAttentionCall& call, SelfAttentionState& state, View y) const;
  // From dy: dx = .. + beta · dx. dx may be dy.
  void backward(ConstView x, const SelfAttentionCall& call, SelfAttentionState& state, ConstView dy,
                SelfAttentionScratch& scratch, View dx, float beta) const;
};

}  // namespace fovea
