// T5 v1.0 and v1.1: an encoder and a decoder, positions by a bias on the scores, scores not scaled.
//
//   encoder, per layer:  x += attention(norm(x));  x += feed_forward(norm(x));  at the end x = norm(x)
//   decoder, per layer:  y += attention(norm(y));  y += cross_attention(norm(y), x);
//                        y += feed_forward(norm(y));  at the end y = norm(y)
//   logits = output(y), of v1.0 output(y / √E)
#include <cmath>

#include "core/fail.h"
#include "models/encoder_decoder.h"
#include "nn/feed_forward.h"

namespace fovea {
namespace {

struct EncoderLayer {
  RmsNorm attention_norm, feed_forward_norm;
  Linear qkv, output;
  FeedForward feed_forward;
};

struct DecoderLayer : EncoderLayer {
  RmsNorm cross_norm;
};

class T5 final : public EncoderDecoder {
 public:
  T5(ConfigReader& config, WeightPlan& weights);
  Tensor logits(const Tensor& hidden) const override;
  Tensor last_norm(Tensor x) const override;
  std::optional<Readout> readout() const override;
  const Linear& attention_output(AttentionKind kind, Index layer) const override {
    const auto at = static_cast<std::size_t>(layer);
    if (kind == AttentionKind::cross) return cross_[at].output;
    return kind == AttentionKind::encoder ? encoder_[at].output : decoder_[at].output;
  }

 protected:
  Tensor embed_encoder(const Ids& ids) const override { return words_(ids, "model"); }
  Tensor embed_decoder(const Ids& ids, Index) const override { return words_(ids, "model: decoder"); }
  Tensor encode(Tensor x, const Flags& real, Probe* probe, std::size_t first) const override;
  Tensor decode(DecoderStart start, const EncoderMemory& memory, const DecoderStep& step) const override;

 private:
  void self_attend(std::size_t index, const DecoderStep& step, LayerScratch& scratch, Tensor& y) const;
  void read_feed_forward(ConfigReader& config);
  void plan(WeightPlan& weights);
  void plan_layer(WeightPlan& weights, const std::string& at, const std::string& feed_forward,
                  EncoderLayer& layer);
  void plan_bias(WeightPlan& weights, const std::string& stack, bool bidirectional, AttentionOptions& to);

  HeadSizes heads_;
  Activation activation_ = Activation::relu;
  bool gated_ = false, scaled_output_ = true;
  float epsilon_ = 1e-6f;
  Index buckets_ = 32, max_distance_ = 128;

  Embedding words_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  RmsNorm encoder_norm_, decoder_norm_;
  Tensor no_bias_;
  AttentionOptions encoder_attention_, decoder_attention_;  // the biases; every layer has the first one's
  Linear output_;
};

T5::T5(ConfigReader& config, WeightPlan& weights) {
  config_.family = ModelFamily::t5;
  config_.type = config.text("model_type", "t5");
  config_.layers = config.layers({"num_layers"});
  config_.decoder_layers = config.layers({"num_decoder_layers"}, config_.layers);
  config_.heads = config_.kv_heads = config.size({"num_heads"});
  config_.head_width = config.size({"d_kv"});
  config_.width = config.size({"d_model"});
  config_.inner_width = config.size({"d_ff"});
  config_.vocabulary = config.size({"vocab_size"});
  config_.max_tokens = config.size({"n_positions"}, 512);  // what it was trained on; the biases end nowhere
  config_.end_ids = config.ids("eos_token_id");
  config_.pad_id = config.id("pad_token_id").value_or(0);
  config_.decoder_start_id = config.id("decoder_start_token_id").value_or(0);
  config_.has_logits = true;
  buckets_ = config.size({"relative_attention_num_buckets"}, 32);
  max_distance_ = config.size({"relative_attention_max_distance"}, 128);
  epsilon_ = config.number({"layer_norm_epsilon"}, 1e-6f);
  // v1.0 divides by √E before its output layer. Newer files say so; of older ones, those that tie it to the
  // table of words are v1.0.
  scaled_output_ = config_.type != "mt5" &&
                   config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", true));
  heads_ = decoder_heads_ = {config_.heads, config_.heads, config_.head_width};
  cross_scale_ = 1.0f;
  read_feed_forward(config);
  config.finish();
  plan(weights);
}

// "relu", "gated-gelu", "gated-silu": the gated gelu of T5 v1.1 is the one by tanh.
void T5::read_feed_forward(ConfigReader& config) {
  std::string name = config.text("feed_forward_proj", "relu");
  gated_ = name.starts_with("gated-");
  if (gated_) name = name == "gated-gelu" ? "gelu_new" : name.substr(6);
  const std::optional<Activation> activation = ConfigReader::activation_named(name);
  if (activation) {
    activation_ = *activation;
  } else {
    config.complain("feed_forward_proj is " + name +
                    ", expected relu, gelu, silu, gated-gelu or gated-silu");
  }
}

void T5::plan_layer(WeightPlan& weights, const std::string& at, const std::string& feed_forward,
                    EncoderLayer& layer) {
  const Index width = config_.width, columns = heads_.query_columns(), inner = config_.inner_width;
  const std::string self = at + "layer.0.SelfAttention.";
  weights.norm(at + "layer.0.layer_norm", width, layer.attention_norm);
  weights.stacked({{self + "q", columns}, {self + "k", columns}, {self + "v", columns}}, width, false,
                  layer.qkv);
  weights.linear(self + "o", width, columns, false, layer.output);
  weights.norm(feed_forward + "layer_norm", width, layer.feed_forward_norm);
  const std::string dense = feed_forward + "DenseReluDense.";
  weights.linear(dense + (gated_ ? "wi_1" : "wi"), inner, width, false, layer.feed_forward.up);
  if (gated_) weights.linear(dense + "wi_0", inner, width, false, layer.feed_forward.gate);
  weights.linear(dense + "wo", width, inner, false, layer.feed_forward.down);
  layer.attention_norm.epsilon = layer.feed_forward_norm.epsilon = epsilon_;
  layer.feed_forward.activation = activation_;
}

void T5::plan_bias(WeightPlan& weights, const std::string& stack, bool bidirectional,
                   AttentionOptions& to) {
  const std::string name = stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  to.scale = 1.0f;
  weights.tensor({{{name}, {buckets_, config_.heads}}}, [this, bidirectional, &to](const Tensor& table) {
    to.bias = Bias::t5(table, buckets_, max_distance_, bidirectional);
  });
}

void T5::plan(WeightPlan& weights) {
  const Index width = config_.width, columns = heads_.query_columns();
  weights.table({"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"},
                config_.vocabulary, width, words_, !weights.has("lm_head.weight"));
  encoder_.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    const std::string at = "encoder.block." + std::to_string(i) + ".";
    plan_layer(weights, at, at + "layer.1.", encoder_[i]);
  }
  decoder_.resize(static_cast<std::size_t>(config_.decoder_layers));
  cross_.resize(decoder_.size());
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    DecoderLayer& layer = decoder_[i];
    const std::string at = "decoder.block." + std::to_string(i) + ".",
                      cross = at + "layer.1.EncDecAttention.";
    plan_layer(weights, at, at + "layer.2.", layer);
    weights.norm(at + "layer.1.layer_norm", width, layer.cross_norm);
    layer.cross_norm.epsilon = epsilon_;
    weights.linear(cross + "q", columns, width, false, cross_[i].query);
    weights.stacked({{cross + "k", columns}, {cross + "v", columns}}, width, false, cross_[i].keys_values);
    weights.linear(cross + "o", width, columns, false, cross_[i].output);
  }
  plan_bias(weights, "encoder", true, encoder_attention_);
  plan_bias(weights, "decoder", false, decoder_attention_);
  weights.norm("encoder.final_layer_norm", width, encoder_norm_);
  weights.norm("decoder.final_layer_norm", width, decoder_norm_);
  encoder_norm_.epsilon = decoder_norm_.epsilon = epsilon_;
  if (weights.has("lm_head.weight")) {
    weights.linear("lm_head", config_.vocabulary, width, false, output_);
  } else {
    weights.afterwards([this] { output_ = Linear(words_.packed()); });
  }
}

Tensor T5::encode(Tensor x, const Flags& real, Probe* probe, std::size_t first) const {
  AttentionOptions attention = encoder_attention_;
  if (!real.empty()) attention.mask = Mask::padding(real);
  LayerScratch scratch;
  for (std::size_t i = first; i < encoder_.size(); ++i) {
    const EncoderLayer& layer = encoder_[i];
    const AttentionPlace place = {AttentionKind::encoder, static_cast<Index>(i), probe};
    show_stream(place, StreamPoint::before, x);
    layer.attention_norm.store(x, scratch.normed);
    scratch.projected.project(scratch.normed, layer.qkv, heads_);
    attend(scratch.projected, attention, place, scratch.attended);
    ProjectionRecord(place).show(ProjectionSource::self(scratch.normed, layer.qkv, heads_),
                                 scratch.attended, layer.output);
    layer.output.add(scratch.attended, x.view());
    show_stream(place, StreamPoint::middle, x);
    layer.feed_forward_norm.store(x, scratch.normed);
    layer.feed_forward.add(scratch.normed, scratch.inner, x.view());
    show_stream(place, StreamPoint::after, x);
  }
  encoder_norm_.store(x, x);
  return x;
}

void T5::self_attend(std::size_t index, const DecoderStep& step, LayerScratch& scratch, Tensor& y) const {
  const DecoderLayer& layer = decoder_[index];
  show_stream(step.place(AttentionKind::decoder, index), StreamPoint::before, y);
  layer.attention_norm.store(y, scratch.normed);
  scratch.projected.project(scratch.normed, layer.qkv, heads_);
  step.attend(index, scratch.projected, decoder_attention_, scratch.attended);
  step.record(AttentionKind::decoder, index)
      .show(ProjectionSource::self(scratch.normed, layer.qkv, heads_), scratch.attended, layer.output);
  step.keep_attended(index, y);
  layer.output.add(scratch.attended, y.view());
}

Tensor T5::decode(DecoderStart start, const EncoderMemory& memory, const DecoderStep& step) const {
  Tensor y = std::move(start.y);
  LayerScratch scratch;
  for (std::size_t i = start.layer; i < decoder_.size(); ++i) {
    const DecoderLayer& layer = decoder_[i];
    const AttentionPlace place = step.place(AttentionKind::decoder, i);
    if (start.attended && i == start.layer) {
      step.keep_attended(i, y);
    } else {
      self_attend(i, step, scratch, y);
    }
    show_stream(place, StreamPoint::middle, y);
    layer.cross_norm.store(y, scratch.normed);
    cross_attend(i, scratch.normed, memory, step, scratch, y);
    show_stream(place, StreamPoint::cross, y);
    layer.feed_forward_norm.store(y, scratch.normed);
    layer.feed_forward.add(scratch.normed, scratch.inner, y.view());
    show_stream(place, StreamPoint::after, y);
  }
  decoder_norm_.store(y, y);
  return y;
}

Tensor T5::logits(const Tensor& hidden) const {
  if (!scaled_output_) return output_(hidden);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(config_.width)));
  Tensor scaled = hidden;
  for (Index i = 0; i < scaled.shape().elements(); ++i) scaled.data()[i] *= scale;
  return output_(scaled);
}

Tensor T5::last_norm(Tensor x) const {
  decoder_norm_.store(x, x);
  return x;
}

std::optional<Readout> T5::readout() const {
  const double scale = scaled_output_ ? 1 / std::sqrt(static_cast<double>(config_.width)) : 1;
  return Readout{decoder_norm_.weight, no_bias_, decoder_norm_.epsilon, false, output_, scale};
}

}  // namespace

std::unique_ptr<Architecture> make_t5(ConfigReader& config, WeightPlan& weights) {
  return std::make_unique<T5>(config, weights);
}

}  // namespace fovea
