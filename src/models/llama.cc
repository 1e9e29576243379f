// Llama 2 and 3, Qwen2, TinyStories: a decoder with rotary positions, grouped heads, root-mean-square norms
// and a gated feed-forward layer.
//
//   x = word
//   per layer:  x += attention(norm(x));  x += down(silu(gate(norm(x))) · up(norm(x)))
//   logits = output(norm(x))
#include "core/fail.h"
#include "models/architecture.h"
#include "models/decoder_step.h"
#include "models/rope.h"
#include "nn/attention_layer.h"
#include "nn/feed_forward.h"
#include "nn/layer_scratch.h"
#include "ops/rotary.h"

namespace fovea {
namespace {

struct LlamaLayer {
  RmsNorm attention_norm, feed_forward_norm;
  Linear qkv, output;
  FeedForward feed_forward;
};

class Llama final : public Architecture {
 public:
  Llama(ConfigReader& config, WeightPlan& weights);
  ModelOutput run(const ModelInput& input, const RunOptions& options) const override;
  void start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const override;
  Tensor next(DecodingState& state, const Ids& ids, Probe* probe) const override;
  Tensor logits(const Tensor& hidden) const override { return output_(hidden); }
  Tensor last_norm(Tensor x) const override;
  std::optional<Readout> readout() const override;
  const Linear& attention_output(AttentionKind, Index layer) const override {
    return layers_[static_cast<std::size_t>(layer)].output;
  }
  ModelOutput restart(Restart restart) const override;

 private:
  struct Biases {
    bool qkv = false, output = false, feed_forward = false;
  };
  void read_heads(ConfigReader& config);
  void plan(WeightPlan& weights, const Biases& biases);
  Tensor forward(const Ids& ids, const DecoderStep& step) const;
  Tensor layers(Tensor x, const DecoderStep& step, std::size_t first = 0) const;

  HeadSizes heads_;
  std::vector<double> frequencies_;  // [D/2]
  FileLayout rotary_layout_ = FileLayout::rows;
  Activation activation_ = Activation::silu;
  float epsilon_ = 1e-6f;
  bool tied_ = false;

  Embedding words_;
  std::vector<LlamaLayer> layers_;
  RmsNorm last_norm_;
  Tensor no_bias_;
  Linear output_;
};

void Llama::read_heads(ConfigReader& config) {
  config_.heads = config.size({"num_attention_heads"});
  config_.kv_heads = config.size({"num_key_value_heads"}, config_.heads);
  config_.head_width = config.size({"head_dim"}, std::max<Index>(1, config_.width / config_.heads));
  if (!config.has("head_dim") && config_.width % config_.heads != 0) {
    config.complain(
        fmt::format("hidden_size {} is not a multiple of {} heads", config_.width, config_.heads));
  }
  if (config_.heads % config_.kv_heads != 0) {
    config.complain(
        fmt::format("{} heads are not a multiple of {} key heads", config_.heads, config_.kv_heads));
  }
  constexpr Index kWidest = 1 << 16;
  if (config_.head_width % 2 != 0 || config_.head_width > kWidest) {
    config.complain(
        fmt::format("heads of width {}, expected an even number up to {}: rotary positions rotate pairs",
                    config_.head_width, kWidest));
    config_.head_width = 2;
  }
  heads_ = {config_.heads, config_.kv_heads, config_.head_width};
}

Llama::Llama(ConfigReader& config, WeightPlan& weights) {
  config_.family = ModelFamily::llama;
  config_.type = config.text("model_type", "llama");
  config_.layers = config.layers({"num_hidden_layers"});
  config_.width = config.size({"hidden_size"});
  config_.inner_width = config.size({"intermediate_size"});
  config_.vocabulary = config.size({"vocab_size"});
  config_.max_tokens = config.size({"max_position_embeddings"}, 2048);
  config_.end_ids = config.ids("eos_token_id");
  config_.pad_id = config.id("pad_token_id").value_or(0);
  config_.has_logits = true;
  read_heads(config);
  frequencies_ = rope_frequencies(config, config_.head_width);
  // Our own key, set for llama2.c's files: neighbouring features are turned together.
  if (config.flag("rotary_pairs", false)) rotary_layout_ = FileLayout::rotary_pairs;
  activation_ = config.activation({"hidden_act"}, "silu");
  epsilon_ = config.number({"rms_norm_eps"}, 1e-6f);
  tied_ = config.flag("tie_word_embeddings", false);
  Biases biases;
  biases.output = config.flag("attention_bias", false);
  biases.qkv = biases.output || config_.type == "qwen2";
  biases.feed_forward = config.flag("mlp_bias", false);
  if (config.flag("use_sliding_window", false)) {
    config.complain("use_sliding_window is true: only full attention is supported");
  }
  config.finish();
  plan(weights, biases);
}

void Llama::plan(WeightPlan& weights, const Biases& biases) {
  const Index width = config_.width, inner = config_.inner_width;
  const std::string prefix = weights.has("embed_tokens.weight") ? "" : "model.";
  weights.table({prefix + "embed_tokens.weight"}, config_.vocabulary, width, words_, tied_);
  layers_.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    LlamaLayer& layer = layers_[i];
    const std::string at = prefix + "layers." + std::to_string(i) + ".";
    weights.norm(at + "input_layernorm", width, layer.attention_norm);
    weights.stacked({{at + "self_attn.q_proj", heads_.query_columns(), rotary_layout_, heads_.width},
                     {at + "self_attn.k_proj", heads_.key_columns(), rotary_layout_, heads_.width},
                     {at + "self_attn.v_proj", heads_.key_columns()}},
                    width, biases.qkv, layer.qkv);
    weights.linear(at + "self_attn.o_proj", width, heads_.query_columns(), biases.output, layer.output);
    weights.norm(at + "post_attention_layernorm", width, layer.feed_forward_norm);
    weights.linear(at + "mlp.gate_proj", inner, width, biases.feed_forward, layer.feed_forward.gate);
    weights.linear(at + "mlp.up_proj", inner, width, biases.feed_forward, layer.feed_forward.up);
    weights.linear(at + "mlp.down_proj", width, inner, biases.feed_forward, layer.feed_forward.down);
    layer.attention_norm.epsilon = layer.feed_forward_norm.epsilon = epsilon_;
    layer.feed_forward.activation = activation_;
  }
  weights.norm(prefix + "norm", width, last_norm_);
  last_norm_.epsilon = epsilon_;
  if (!tied_) {
    weights.linear("lm_head", config_.vocabulary, width, false, output_);
  } else {
    weights.afterwards([this] { output_ = Linear(words_.packed()); });
  }
}

Tensor Llama::forward(const Ids& ids, const DecoderStep& step) const {
  return layers(words_(ids, "model"), step);
}

Tensor Llama::layers(Tensor x, const DecoderStep& step, std::size_t first) const {
  LayerScratch scratch;
  for (std::size_t i = first; i < layers_.size(); ++i) {
    const LlamaLayer& layer = layers_[i];
    const AttentionPlace place = step.place(AttentionKind::decoder, i);
    show_stream(place, StreamPoint::before, x);
    layer.attention_norm.store(x, scratch.normed);
    ProjectedHeads& projected = scratch.projected;
    projected.project(scratch.normed, layer.qkv, heads_);
    ProjectionRecord record = step.record(AttentionKind::decoder, i);
    record.before_rotation(projected, frequencies_);
    rotate_positions(projected.q().transpose(1, 2), step.first(), frequencies_);
    rotate_positions(projected.k().transpose(1, 2), step.first(), frequencies_);
    step.attend(i, projected, {}, scratch.attended);
    record.show(ProjectionSource::self(scratch.normed, layer.qkv, heads_), scratch.attended, layer.output);
    step.keep_attended(i, x);
    layer.output.add(scratch.attended, x.view());
    show_stream(place, StreamPoint::middle, x);
    layer.feed_forward_norm.store(x, scratch.normed);
    layer.feed_forward.add(scratch.normed, scratch.inner, x.view());
    show_stream(place, StreamPoint::after, x);
  }
  last_norm_.store(x, x);
  return x;
}

ModelOutput Llama::run(const ModelInput& input, const RunOptions& options) const {
  ModelOutput output;
  output.hidden = forward(input.ids, DecoderStep(input.real, options.probe));
  output.logits = wanted_logits(output.hidden, options);
  return output;
}

Tensor Llama::last_norm(Tensor x) const {
  last_norm_.store(x, x);
  return x;
}

std::optional<Readout> Llama::readout() const {
  return Readout{last_norm_.weight, no_bias_, last_norm_.epsilon, false, output_};
}

ModelOutput Llama::restart(Restart restart) const {
  const DecoderStep step(restart, layers_.size());
  ModelOutput output;
  output.hidden = layers(std::move(restart.x), step, static_cast<std::size_t>(restart.layer));
  return output;
}

void Llama::start(DecodingState& state, const Ids&, Probe*) const {
  state.self.assign(layers_.size(), KeyValueCache({1, heads_.kv_heads, heads_.width, 0, state.cache}));
}

Tensor Llama::next(DecodingState& state, const Ids& ids, Probe* probe) const {
  return output_(last_token(forward(ids, DecoderStep(state, probe))));
}

}  // namespace

std::unique_ptr<Architecture> make_llama(ConfigReader& config, WeightPlan& weights) {
  return std::make_unique<Llama>(config, weights);
}

}  // namespace fovea
