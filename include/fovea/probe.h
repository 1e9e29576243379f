// Looking on while a model runs: every attention call is shown to a Probe.
#pragma once

#include <memory>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"

namespace fovea {

enum class AttentionKind {
  encoder,  // of BERT and of T5's encoder
  decoder,  // of GPT-2, Llama and T5's decoder: causal
  cross,    // T5's decoder looking at its encoder
};
FOVEA_API const char* to_string(AttentionKind kind);  // "encoder", "decoder", "cross"

// What attention() is about to be called with; keys and values of a cache are all there, from the first
// token on. The views are those of the call and end with it, unless `memory` holds what they show: then
// they last as long as that is kept.
struct FOVEA_API AttentionCall {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;                  // counted within its kind
  ConstView q;                      // [B, H, N, D]
  ConstView k;                      // [B, Hkv, M, D]
  ConstView v;                      // [B, Hkv, M, D]
  const AttentionOptions& options;  // precision is float32: what a probe computes of the call is exact
  std::shared_ptr<const Tensor> memory = {};
  // In which the model computes this call: with bfloat16, q, k, v are the numbers before they are rounded.
  Precision precision = Precision::float32;
};

// What surrounds an attention call: q = x · w_q + b_q and so on, output = concat · w_o + b_o (with
// Precision::bfloat16 of x and concat rounded to bfloat16, as the weights are). The views end with the
// call. What a model does not have is empty().
struct FOVEA_API ProjectionCall {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  ConstView x;       // [B, N, E] what queries are projected from: after the norm, where that comes first
  ConstView memory;  // [B, M, E] what keys and values are projected from; x of self-attention
  Tensor w_q, w_k, w_v;             // [E, H·D], [E, Hkv·D] twice
  Tensor b_q, b_k, b_v;             // [H·D], [Hkv·D] twice
  Tensor q, k;                      // [B, N, H, D], [B, M, Hkv, D] before rotary positions
  std::vector<double> frequencies;  // [D/2] of the rotary positions
  ConstView concat;                 // [B, N, H·D] the heads side by side
  Tensor w_o, b_o;                  // [H·D, E], [E]
  ConstView output;                 // [B, N, E] before it is added to the stream
};

// The points of a layer at which its residual stream can be seen. Where norms come last (BERT, BART), each
// is after the norm: what the next step reads.
enum class StreamPoint {
  before,  // what the layer reads; of the first layer, the embeddings
  middle,  // after self-attention was added
  cross,   // after cross-attention was added, of decoders that have it
  after,   // after the feed-forward layer was added
};

// The stream of the encoder, or of the decoder; `kind` is never cross. Whoever is shown it may change it.
struct FOVEA_API StreamCall {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  StreamPoint point = StreamPoint::before;
  View x;  // [B, N, E]
};

// An attention call that is about to be shown and computed, to be changed: q, k, v in place, and what may
// be seen by the options' mask.
struct FOVEA_API AttentionChange {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  View q, k, v;  // [B, H, N, D], [B, Hkv, M, D] twice
  AttentionOptions& options;
};

// What the heads of a call gave, before the output layer mixes them.
struct FOVEA_API HeadOutputs {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  View heads;  // [B, N, H, D]
};

// Called from the thread that runs the model.
class FOVEA_API Probe {
 public:
  virtual ~Probe();
  virtual void attention(const AttentionCall& call) = 0;

  // Only on request, and only in runs of whole sequences: a cache does not keep what its keys came from.
  virtual bool wants_projections(AttentionKind /*kind*/, Index /*layer*/) const { return false; }
  virtual void projections(const ProjectionCall& /*call*/) {}

  // The residual stream, at every point of every layer.
  virtual void stream(const StreamCall& /*call*/) {}

  // Only on request: a change of queries, keys, values and mask, seen by attention() too, and a change of
  // what came out. intervention.h has those that people use.
  virtual bool changes(AttentionKind /*kind*/, Index /*layer*/) const { return false; }
  virtual void change(AttentionChange& /*call*/) {}
  virtual void change_outputs(const HeadOutputs& /*call*/) {}
};

}  // namespace fovea
