// Causal self-attention of a decoder, for whole sequences and for tokens that continue one.
#pragma once

#include "models/architecture.h"
#include "nn/attention_layer.h"

namespace fovea {

// One pass through a decoder: either a batch from its first tokens on, some of them pads, or the tokens
// that follow those of a state, whose caches grow by them.
class DecoderStep {
 public:
  DecoderStep(const Flags& real, Probe* probe) : mask_(Mask::causal()), probe_(probe) {
    if (!real.empty()) mask_ = mask_ & Mask::padding(real);
  }
  // From the middle of `layers` layers on.
  DecoderStep(const Restart& restart, std::size_t layers)
      : mask_(Mask::causal()),
        probe_(restart.probe),
        state_(restart.state),
        narrow_(restart.last_only ? static_cast<Index>(layers) - 1 : -1) {}
  DecoderStep(DecodingState& state, Probe* probe) : mask_(Mask::causal()), probe_(probe), state_(&state) {}

  Index first() const { return state_ == nullptr ? 0 : state_->tokens; }  // position of the first token

  // Where a layer's call belongs; without its probe, what surrounds the call is shown to nobody.
  AttentionPlace place(AttentionKind kind, std::size_t layer) const {
    return {kind, static_cast<Index>(layer), probe_};
  }
  ProjectionRecord record(AttentionKind kind, std::size_t layer) const {
    return ProjectionRecord({kind, static_cast<Index>(layer), state_ == nullptr ? probe_ : nullptr});
  }

  // Queries, keys and values of a layer → out [B, N, H·D]. `options` bring scale and bias.
  void attend(std::size_t layer, ProjectedHeads& projected, AttentionOptions options, Tensor& out) const;
  // x [B, N, E] of a layer whose attention was computed for its last token only: cut to that.
  void keep_attended(std::size_t layer, Tensor& x) const;
  // Queries [B, H, N, D] of a layer, which look at the encoder's output, kept → out [B, N, H·D].
  void attend_memory(std::size_t layer, ConstView q, const KeyValueCache& kept,
                     const AttentionOptions& options, Tensor& out) const;

 private:
  Mask mask_;
  Probe* probe_;
  DecodingState* state_ = nullptr;
  Index narrow_ = -1;  // from this layer's attention on, only the last token counts
};

// [B, N] of first, first + 1, ..
Ids counted_positions(const Shape& shape, Index first);

// x [B, N, E] → [B, E]: what the next token is told from.
Tensor last_token(const Tensor& x);

}  // namespace fovea
