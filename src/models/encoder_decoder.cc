#include "models/encoder_decoder.h"

namespace fovea {

// Keys | values of the encoder's output.
ProjectedHeads EncoderDecoder::memory_heads(std::size_t layer, const Tensor& states) const {
  ProjectedHeads kept;
  kept.project(states, cross_[layer].keys_values, {0, decoder_heads_.kv_heads, decoder_heads_.width});
  return kept;
}

void EncoderDecoder::cross_attend(std::size_t index, const Tensor& input, const EncoderMemory& memory,
                                  const DecoderStep& step, LayerScratch& scratch, Tensor& y) const {
  const CrossAttention& layer = cross_[index];
  ProjectedHeads query;
  query.project(input, layer.query, {decoder_heads_.heads, 0, decoder_heads_.width});
  AttentionOptions options;
  options.scale = cross_scale_;
  options.precision = query.precision();
  if (!memory.real.empty()) options.mask = Mask::padding(memory.real);
  if (memory.kept != nullptr) {
    step.attend_memory(index, query.q(), (*memory.kept)[index], options, scratch.attended);
  } else {
    const AttentionPlace place = step.place(AttentionKind::cross, index);
    ProjectedHeads kept = memory_heads(index, memory.states);
    attend(query.q(), kept.k(), kept.v(), options, place, scratch.attended);
    ProjectionRecord(place).show({input, memory.states, layer.query, layer.keys_values, 0, decoder_heads_},
                                 scratch.attended, layer.output);
  }
  layer.output.add(scratch.attended, y.view());
}

ModelOutput EncoderDecoder::run(const ModelInput& input, const RunOptions& options) const {
  ModelOutput output;
  EncoderMemory memory = {encode(embed_encoder(input.ids), input.real, options.probe), input.real};
  const Ids decoder_ids = input.decoder_ids.empty()
                              ? Ids::filled({input.ids.shape()[0], 1}, config_.decoder_start_id)
                              : input.decoder_ids;
  output.hidden = decode({embed_decoder(decoder_ids, 0)}, memory, DecoderStep(Flags(), options.probe));
  output.encoder_hidden = std::move(memory.states);
  output.logits = wanted_logits(output.hidden, options);
  return output;
}

void EncoderDecoder::start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const {
  const Tensor states = encode(embed_encoder(encoder_ids), {}, probe);
  const KeyValueCache empty({1, decoder_heads_.kv_heads, decoder_heads_.width, 0, state.cache});
  state.self.assign(cross_.size(), empty);
  state.cross.assign(cross_.size(), empty);
  for (std::size_t i = 0; i < cross_.size(); ++i) {
    ProjectedHeads kept = memory_heads(i, states);
    state.cross[i].append(kept.k(), kept.v());
  }
}

Tensor EncoderDecoder::next(DecodingState& state, const Ids& ids, Probe* probe) const {
  return logits(last_token(
      decode({embed_decoder(ids, state.tokens)}, {{}, {}, &state.cross}, DecoderStep(state, probe))));
}

ModelOutput EncoderDecoder::restart(Restart restart) const {
  EncoderMemory memory = {{}, {}, restart.memory};
  if (memory.kept == nullptr) {
    memory.states = encode(std::move(restart.encoder_x), {}, restart.probe,
                           static_cast<std::size_t>(restart.encoder_layer));
  }
  const DecoderStep step(restart, cross_.size());
  ModelOutput output;
  output.hidden = decode({std::move(restart.x), static_cast<std::size_t>(restart.layer), restart.attended},
                         memory, step);
  output.encoder_hidden = std::move(memory.states);
  return output;
}

}  // namespace fovea
