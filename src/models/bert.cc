// BERT, and what shares its layout: MiniLM, RoBERTa, DistilBERT. An encoder: everybody sees everybody.
//
//   x = norm(word + position + segment)
//   per layer:  x = norm(x + attention(x));  x = norm(x + feed_forward(x))
#include "core/fail.h"
#include "models/architecture.h"
#include "nn/attention_layer.h"
#include "nn/feed_forward.h"
#include "nn/layer_scratch.h"

namespace fovea {
namespace {

// What the three layouts call their parts.
struct Names {
  const char* prefix;  // of models with an output layer
  const char* layer;
  const char *query, *key, *value, *attention_output, *attention_norm;
  const char *up, *down, *output_norm;
  const char *head_dense, *head_norm, *head_bias, *head_weight;
};
constexpr Names kBert = {"bert.",
                         "encoder.layer.",
                         "attention.self.query",
                         "attention.self.key",
                         "attention.self.value",
                         "attention.output.dense",
                         "attention.output.LayerNorm",
                         "intermediate.dense",
                         "output.dense",
                         "output.LayerNorm",
                         "cls.predictions.transform.dense",
                         "cls.predictions.transform.LayerNorm",
                         "cls.predictions.bias",
                         "cls.predictions.decoder.weight"};
constexpr Names kDistilBert = {"distilbert.",
                               "transformer.layer.",
                               "attention.q_lin",
                               "attention.k_lin",
                               "attention.v_lin",
                               "attention.out_lin",
                               "sa_layer_norm",
                               "ffn.lin1",
                               "ffn.lin2",
                               "output_layer_norm",
                               "vocab_transform",
                               "vocab_layer_norm",
                               "vocab_projector.bias",
                               "vocab_projector.weight"};

Names names_of(const std::string& type) {
  if (type == "distilbert") return kDistilBert;
  Names names = kBert;
  if (type == "bert") return names;
  names.prefix = "roberta.";
  names.head_dense = "lm_head.dense";
  names.head_norm = "lm_head.layer_norm";
  names.head_bias = "lm_head.bias";
  names.head_weight = "lm_head.decoder.weight";
  return names;
}

struct BertLayer {
  Linear qkv, output;
  LayerNorm attention_norm, output_norm;
  FeedForward feed_forward;
};

class Bert final : public Architecture {
 public:
  Bert(ConfigReader& config, WeightPlan& weights);
  ModelOutput run(const ModelInput& input, const RunOptions& options) const override;
  Tensor logits(const Tensor& hidden) const override;
  const Linear& attention_output(AttentionKind, Index layer) const override {
    return layers_[static_cast<std::size_t>(layer)].output;
  }
  ModelOutput restart(Restart restart) const override;

 private:
  void plan(ConfigReader& config, WeightPlan& weights);
  void plan_head(const Names& names, WeightPlan& weights);
  Tensor embed(const ModelInput& input) const;
  Tensor layers(Tensor x, const AttentionOptions& attention, Probe* probe, std::size_t first = 0) const;
  Ids positions_of(const Ids& ids) const;

  HeadSizes heads_;
  float epsilon_ = 1e-12f;
  Activation activation_ = Activation::gelu;
  bool positions_skip_pads_ = false;  // RoBERTa: real tokens count from pad_id + 1 on
  Index segment_rows_ = 0;            // 0: DistilBERT has none
  Index position_rows_ = 0;

  Embedding words_, positions_, segments_;
  LayerNorm embedding_norm_;
  std::vector<BertLayer> layers_;
  Linear head_dense_, head_output_;
  LayerNorm head_norm_;
};

Bert::Bert(ConfigReader& config, WeightPlan& weights) {
  config_.family = ModelFamily::bert;
  config_.type = config.text("model_type", "bert");
  config_.layers = config.layers({"num_hidden_layers", "n_layers"});
  config_.heads = config_.kv_heads = config.size({"num_attention_heads", "n_heads"});
  config_.width = config.size({"hidden_size", "dim"});
  config_.inner_width = config.size({"intermediate_size", "hidden_dim"});
  config_.vocabulary = config.size({"vocab_size"});
  position_rows_ = config.size({"max_position_embeddings"});
  epsilon_ = config.number({"layer_norm_eps"}, 1e-12f);
  activation_ = config.activation({"hidden_act", "activation"}, "gelu");
  segment_rows_ = config_.type == "distilbert" ? 0 : config.size({"type_vocab_size"}, 2);
  positions_skip_pads_ = config_.type != "bert" && config_.type != "distilbert";
  config_.pad_id = config.id("pad_token_id").value_or(positions_skip_pads_ ? 1 : 0);
  config_.max_tokens = position_rows_ - (positions_skip_pads_ ? config_.pad_id + 1 : 0);
  if (config_.max_tokens < 1) config.complain("max_position_embeddings leaves no position for a token");
  if (config_.width % config_.heads != 0) {
    config.complain(
        fmt::format("hidden_size {} is not a multiple of {} heads", config_.width, config_.heads));
  }
  config_.head_width = config_.width / config_.heads;
  heads_ = {config_.heads, config_.heads, config_.head_width};
  if (config.text("position_embedding_type", "absolute") != "absolute") {
    config.complain("position_embedding_type is not \"absolute\", the only one supported");
  }
  if (config.flag("is_decoder", false)) config.complain("is_decoder is true: only encoders are supported");
  config.finish();
  plan(config, weights);
}

void Bert::plan(ConfigReader&, WeightPlan& weights) {
  const Names names = names_of(config_.type);
  const Index width = config_.width;
  const std::string embeddings = "embeddings.";
  const std::string prefix =
      weights.has(names.prefix + embeddings + "word_embeddings.weight") ? names.prefix : "";
  const std::string e = prefix + embeddings;
  const bool tied =
      weights.has(names.head_dense + std::string(".weight")) && !weights.has(names.head_weight);
  weights.table({e + "word_embeddings.weight"}, config_.vocabulary, width, words_, tied);
  weights.table({e + "position_embeddings.weight"}, position_rows_, width, positions_);
  if (segment_rows_ > 0) {
    weights.table({e + "token_type_embeddings.weight"}, segment_rows_, width, segments_);
  }
  weights.norm(e + "LayerNorm", width, embedding_norm_);
  embedding_norm_.epsilon = epsilon_;
  layers_.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    BertLayer& layer = layers_[i];
    const std::string at = prefix + names.layer + std::to_string(i) + ".";
    weights.stacked({{at + names.query, width}, {at + names.key, width}, {at + names.value, width}}, width,
                    true, layer.qkv);
    weights.linear(at + names.attention_output, width, width, true, layer.output);
    weights.norm(at + names.attention_norm, width, layer.attention_norm);
    weights.linear(at + names.up, config_.inner_width, width, true, layer.feed_forward.up);
    weights.linear(at + names.down, width, config_.inner_width, true, layer.feed_forward.down);
    weights.norm(at + names.output_norm, width, layer.output_norm);
    layer.attention_norm.epsilon = layer.output_norm.epsilon = epsilon_;
    layer.feed_forward.activation = activation_;
  }
  plan_head(names, weights);
}

// The layer that guesses masked words, where the files have it: dense, norm, then the table of words.
void Bert::plan_head(const Names& names, WeightPlan& weights) {
  if (!weights.has(std::string(names.head_dense) + ".weight")) return;
  config_.has_logits = true;
  weights.linear(names.head_dense, config_.width, config_.width, true, head_dense_);
  weights.norm(names.head_norm, config_.width, head_norm_);
  head_norm_.epsilon = epsilon_;
  auto table = std::make_shared<std::shared_ptr<const PackedWeights>>();
  if (weights.has(names.head_weight)) {
    weights.packed({{{names.head_weight}, {config_.vocabulary, config_.width}}},
                   [table](std::shared_ptr<const PackedWeights> own) { *table = std::move(own); });
  }
  auto bias = std::make_shared<Tensor>();
  weights.tensor({{{names.head_bias}, {config_.vocabulary}}},
                 [bias](Tensor loaded) { *bias = std::move(loaded); });
  weights.afterwards(
      [this, table, bias] { head_output_ = Linear(*table ? *table : words_.packed(), std::move(*bias)); });
}

Ids Bert::positions_of(const Ids& ids) const {
  Ids positions = Ids::filled(ids.shape(), 0);
  for (Index b = 0; b < ids.shape()[0]; ++b) {
    Index next = config_.pad_id + 1;
    for (Index n = 0; n < ids.shape()[1]; ++n) {
      if (!positions_skip_pads_) {
        positions(b, n) = n;
      } else {
        positions(b, n) = ids(b, n) == config_.pad_id ? config_.pad_id : next++;
      }
    }
  }
  return positions;
}

Tensor Bert::embed(const ModelInput& input) const {
  Tensor x = words_(input.ids, "model");
  positions_.add_to(x, positions_of(input.ids), "model: positions");
  if (segment_rows_ > 0) {
    const Ids segments = input.segments.empty() ? Ids::filled(input.ids.shape(), 0) : input.segments;
    segments_.add_to(x, segments, "model: segments");
  }
  embedding_norm_.store(x, x);
  return x;
}

Tensor Bert::layers(Tensor x, const AttentionOptions& attention, Probe* probe, std::size_t first) const {
  LayerScratch scratch;
  for (std::size_t i = first; i < layers_.size(); ++i) {
    const BertLayer& layer = layers_[i];
    const AttentionPlace place = {AttentionKind::encoder, static_cast<Index>(i), probe};
    show_stream(place, StreamPoint::before, x);
    scratch.projected.project(x, layer.qkv, heads_);
    attend(scratch.projected, attention, place, scratch.attended);
    ProjectionRecord(place).show(ProjectionSource::self(x, layer.qkv, heads_), scratch.attended,
                                 layer.output);
    layer.output.add(scratch.attended, x.view());
    layer.attention_norm.store(x, x);
    show_stream(place, StreamPoint::middle, x);
    layer.feed_forward.add(x, scratch.inner, x.view());
    layer.output_norm.store(x, x);
    show_stream(place, StreamPoint::after, x);
  }
  return x;
}

ModelOutput Bert::run(const ModelInput& input, const RunOptions& options) const {
  AttentionOptions attention;
  if (!input.real.empty()) attention.mask = Mask::padding(input.real);
  ModelOutput output;
  output.hidden = layers(embed(input), attention, options.probe);
  output.logits = wanted_logits(output.hidden, options);
  return output;
}

Tensor Bert::logits(const Tensor& hidden) const {
  return head_output_(head_norm_(head_dense_(hidden, activation_)));
}

ModelOutput Bert::restart(Restart restart) const {
  ModelOutput output;
  output.hidden = layers(std::move(restart.x), {}, restart.probe, static_cast<std::size_t>(restart.layer));
  return output;
}

}  // namespace

std::unique_ptr<Architecture> make_bert(ConfigReader& config, WeightPlan& weights) {
  return std::make_unique<Bert>(config, weights);
}

}  // namespace fovea
