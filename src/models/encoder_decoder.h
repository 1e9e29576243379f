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

// The encoder's output [B, M, E] and which of its tokens are no pads. Without states: the DecodingState has
// its keys and values.
struct EncoderMemory {
  Tensor states = {};
  Flags real = {};
};

class EncoderDecoder : public Architecture {
 public:
  ModelOutput run(const ModelInput& input, const RunOptions& options) const final;
  void start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const final;
  Tensor next(DecodingState& state, const Ids& ids, Probe* probe) const final;

 protected:
  virtual Tensor encode(const Ids& ids, const Flags& real, Probe* probe) const = 0;
  virtual Tensor decode(const Ids& ids, const EncoderMemory& memory, const DecoderStep& step) const = 0;

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
