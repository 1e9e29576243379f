// What T5 and BART have in common: a decoder that looks at the encoder's output.
#pragma once

#include <optional>
#include <vector>

#include "models/architecture.h"
#include "models/decoder_step.h"
#include "nn/attention_layer.h"
#include "nn/layer_scratch.h"

namespace fovea {

// Of one decoder layer.
struct CrossAttention {
  Linear query, keys_values, output;
};

// The encoder's output [B, M, E] and which of its tokens are no pads; or its keys and values per decoder
// layer.
struct EncoderMemory {
  Tensor states = {};
  Flags real = {};
  const std::vector<KeyValueCache>* kept = nullptr;
};

// Where a decoder begins: before a layer, or after its self-attention.
struct DecoderStart {
  Tensor y;  // [B, N, E], the stream there
  std::size_t layer = 0;
  bool attended = false;
};

class EncoderDecoder : public Architecture {
 public:
  ModelOutput run(const ModelInput& input, const RunOptions& options) const final;
  void start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const final;
  Tensor next(DecodingState& state, const Ids& ids, Probe* probe) const final;
  ModelOutput restart(Restart restart) const final;

 protected:
  virtual Tensor embed_encoder(const Ids& ids) const = 0;
  virtual Tensor embed_decoder(const Ids& ids, Index first) const = 0;  // position of the first token
  // All layers from the `first` on, and the last norm.
  virtual Tensor encode(Tensor x, const Flags& real, Probe* probe, std::size_t first = 0) const = 0;
  virtual Tensor decode(DecoderStart start, const EncoderMemory& memory, const DecoderStep& step) const = 0;

  // y += what the input of this layer's cross-attention sees of the memory.
  void cross_attend(std::size_t layer, const Tensor& input, const EncoderMemory& memory,
                    const DecoderStep& step, LayerScratch& scratch, Tensor& y) const;

  HeadSizes decoder_heads_;
  std::optional<float> cross_scale_ = {};  // of the scores; none: 1/√D
  std::vector<CrossAttention> cross_;      // per decoder layer

 private:
  ProjectedHeads memory_heads(std::size_t layer, const Tensor& states) const;
};

}  // namespace fovea
