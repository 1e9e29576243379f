// GPT-2: a decoder with learned positions; norms come before what they feed.
//
//   x = word + position
//   per layer:  x += attention(norm(x));  x += feed_forward(norm(x))
//   logits = norm(x) · wordsᵀ
#include <cmath>

#include "core/fail.h"
#include "models/architecture.h"
#include "models/decoder_step.h"
#include "nn/attention_layer.h"
#include "nn/feed_forward.h"
#include "nn/layer_scratch.h"

namespace fovea {
namespace {

struct Gpt2Layer {
  LayerNorm attention_norm, feed_forward_norm;
  Linear qkv, output;
  FeedForward feed_forward;
  AttentionOptions attention;  // the scale
};

class Gpt2 final : public Architecture {
 public:
  Gpt2(ConfigReader& config, WeightPlan& weights);
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
  void plan(WeightPlan& weights, Activation activation, float epsilon, bool tied);
  // [B, N, E] after the last norm.
  Tensor forward(const Ids& ids, const DecoderStep& step) const;
  Tensor layers(Tensor x, const DecoderStep& step, std::size_t first = 0) const;

  HeadSizes heads_;
  Embedding words_, positions_;
  std::vector<Gpt2Layer> layers_;
  LayerNorm last_norm_;
  Linear output_;
};

Gpt2::Gpt2(ConfigReader& config, WeightPlan& weights) {
  config_.family = ModelFamily::gpt2;
  config_.type = "gpt2";
  config_.layers = config.layers({"n_layer", "num_hidden_layers"});
  config_.heads = config_.kv_heads = config.size({"n_head", "num_attention_heads"});
  config_.width = config.size({"n_embd", "hidden_size"});
  config_.inner_width = config.size({"n_inner"}, 4 * config_.width);
  config_.vocabulary = config.size({"vocab_size"});
  config_.max_tokens = config.size({"n_positions", "n_ctx", "max_position_embeddings"});
  config_.end_ids = config.ids("eos_token_id");
  config_.pad_id = config.id("pad_token_id").value_or(0);
  config_.has_logits = true;
  if (config_.width % config_.heads != 0) {
    config.complain(fmt::format("n_embd {} is not a multiple of {} heads", config_.width, config_.heads));
  }
  config_.head_width = config_.width / config_.heads;
  heads_ = {config_.heads, config_.heads, config_.head_width};
  const Activation activation = config.activation({"activation_function"}, "gelu_new");
  const float epsilon = config.number({"layer_norm_epsilon"}, 1e-5f);
  const bool scaled = config.flag("scale_attn_weights", true);
  const bool by_layer = config.flag("scale_attn_by_inverse_layer_idx", false);
  const bool tied = config.flag("tie_word_embeddings", true);
  if (config.flag("add_cross_attention", false)) {
    config.complain("add_cross_attention is true: only plain decoders are supported");
  }
  config.finish();
  plan(weights, activation, epsilon, tied);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const double base = scaled ? 1 / std::sqrt(static_cast<double>(config_.head_width)) : 1;
    layers_[i].attention.scale = static_cast<float>(by_layer ? base / static_cast<double>(i + 1) : base);
  }
}

void Gpt2::plan(WeightPlan& weights, Activation activation, float epsilon, bool tied) {
  const Index width = config_.width, inner = config_.inner_width;
  const std::string prefix = weights.has("transformer.wte.weight") ? "transformer." : "";
  weights.table({prefix + "wte.weight"}, config_.vocabulary, width, words_, tied);
  weights.table({prefix + "wpe.weight"}, config_.max_tokens, width, positions_);
  layers_.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Gpt2Layer& layer = layers_[i];
    const std::string at = prefix + "h." + std::to_string(i) + ".";
    const FileLayout layout = FileLayout::columns;
    weights.norm(at + "ln_1", width, layer.attention_norm);
    weights.linear(at + "attn.c_attn", 3 * width, width, true, layer.qkv, layout);
    weights.linear(at + "attn.c_proj", width, width, true, layer.output, layout);
    weights.norm(at + "ln_2", width, layer.feed_forward_norm);
    weights.linear(at + "mlp.c_fc", inner, width, true, layer.feed_forward.up, layout);
    weights.linear(at + "mlp.c_proj", width, inner, true, layer.feed_forward.down, layout);
    layer.attention_norm.epsilon = layer.feed_forward_norm.epsilon = epsilon;
    layer.feed_forward.activation = activation;
  }
  weights.norm(prefix + "ln_f", width, last_norm_);
  last_norm_.epsilon = epsilon;
  if (!tied) {
    weights.linear("lm_head", config_.vocabulary, width, false, output_);
  } else {
    weights.afterwards([this] { output_ = Linear(words_.packed()); });
  }
}

Tensor Gpt2::forward(const Ids& ids, const DecoderStep& step) const {
  Tensor x = words_(ids, "model");
  positions_.add_to(x, counted_positions(ids.shape(), step.first()), "model: positions");
  return layers(std::move(x), step);
}

Tensor Gpt2::layers(Tensor x, const DecoderStep& step, std::size_t first) const {
  LayerScratch scratch;
  for (std::size_t i = first; i < layers_.size(); ++i) {
    const Gpt2Layer& layer = layers_[i];
    const AttentionPlace place = step.place(AttentionKind::decoder, i);
    show_stream(place, StreamPoint::before, x);
    layer.attention_norm.store(x, scratch.normed);
    scratch.projected.project(scratch.normed, layer.qkv, heads_);
    step.attend(i, scratch.projected, layer.attention, scratch.attended);
    step.record(AttentionKind::decoder, i)
        .show(ProjectionSource::self(scratch.normed, layer.qkv, heads_), scratch.attended, layer.output);
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

ModelOutput Gpt2::run(const ModelInput& input, const RunOptions& options) const {
  ModelOutput output;
  output.hidden = forward(input.ids, DecoderStep(input.real, options.probe));
  output.logits = wanted_logits(output.hidden, options);
  return output;
}

Tensor Gpt2::last_norm(Tensor x) const {
  last_norm_.store(x, x);
  return x;
}

std::optional<Readout> Gpt2::readout() const {
  return Readout{last_norm_.weight, last_norm_.bias, last_norm_.epsilon, true, output_};
}

ModelOutput Gpt2::restart(Restart restart) const {
  const DecoderStep step(restart, layers_.size());
  ModelOutput output;
  output.hidden = layers(std::move(restart.x), step, static_cast<std::size_t>(restart.layer));
  return output;
}

void Gpt2::start(DecodingState& state, const Ids&, Probe*) const {
  state.self.assign(layers_.size(), KeyValueCache({1, heads_.kv_heads, heads_.width, 0, state.cache}));
}

Tensor Gpt2::next(DecodingState& state, const Ids& ids, Probe* probe) const {
  return output_(last_token(forward(ids, DecoderStep(state, probe))));
}

}  // namespace

std::unique_ptr<Architecture> make_gpt2(ConfigReader& config, WeightPlan& weights) {
  return std::make_unique<Gpt2>(config, weights);
}

}  // namespace fovea
