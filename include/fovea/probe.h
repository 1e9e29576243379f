// Looking on while a model runs: every attention call is shown to a Probe.
#pragma once

#include "fovea/attention.h"

namespace fovea {

enum class AttentionKind {
  encoder,  // of BERT and of T5's encoder
  decoder,  // of GPT-2, Llama and T5's decoder: causal
  cross,    // T5's decoder looking at its encoder
};
const char* to_string(AttentionKind kind);  // "encoder", "decoder", "cross"

// What attention() is about to be called with. The views are those of the call and end with it; keys and
// values of a cache are all there, from the first token on.
struct AttentionCall {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;  // counted within its kind
  ConstView q;      // [B, H, N, D]
  ConstView k;      // [B, Hkv, M, D]
  ConstView v;      // [B, Hkv, M, D]
  const AttentionOptions& options;
};

class Probe {
 public:
  virtual ~Probe() = default;
  virtual void attention(const AttentionCall& call) = 0;  // from the thread that runs the model
};

}  // namespace fovea
