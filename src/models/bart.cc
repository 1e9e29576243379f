// BART, Marian and mBART: an encoder and a decoder with absolute positions, learned ones or sinusoids.
//
//   x = word · √E or word, + position; of BART and mBART x = norm(x)
//   norms last (BART, Marian):  x = norm(x + attention(x));  x = norm(x + feed_forward(x))
//   norms first (mBART):        x += attention(norm(x));  x += feed_forward(norm(x));
//                               at the end x = norm(x)
//   the decoder has cross_attention(x, memory) between the two; logits = x · wordsᵀ + bias
#include <cmath>

#include "core/fail.h"
#include "models/encoder_decoder.h"
#include "nn/feed_forward.h"

namespace fovea {
namespace {

// What the three differ in.
struct BartLayout {
  const char* type;
  bool norms_first, normed_embedding, sinusoids;
};
constexpr BartLayout kBartLayouts[] = {
    {"bart", false, true, false}, {"marian", false, false, true}, {"mbart", true, true, false}};

BartLayout bart_layout_of(const std::string& type) {
  for (const BartLayout& layout : kBartLayouts) {
    if (type == layout.type) return layout;
  }
  return kBartLayouts[0];
}

constexpr Index kPositionOffset =
    2;  // learned positions begin at row 2: once upon a time, pads were counted

struct BartLayer {
  LayerNorm attention_norm, feed_forward_norm;
  Linear qkv, output;
  FeedForward feed_forward;
};

struct BartDecoderLayer : BartLayer {
  LayerNorm cross_norm;
};

struct BartStack {
  std::string name;  // "encoder", "decoder"
  HeadSizes heads;
  Index inner_width = 0;
  Index vocabulary = 0;
  Embedding words, positions;  // words: of both the same table, unless the model has two
  LayerNorm embedding_norm, last_norm;
};

class Bart final : public EncoderDecoder {
 public:
  Bart(ConfigReader& config, WeightPlan& weights);
  Tensor logits(const Tensor& hidden) const override { return output_(hidden); }
  Tensor last_norm(Tensor x) const override;
  std::optional<Readout> readout() const override;
  const Linear& attention_output(AttentionKind kind, Index layer) const override {
    const auto at = static_cast<std::size_t>(layer);
    if (kind == AttentionKind::cross) return cross_[at].output;
    return kind == AttentionKind::encoder ? encoder_[at].output : decoder_[at].output;
  }

 protected:
  Tensor embed_encoder(const Ids& ids) const override { return embed(from_, ids, 0, "model"); }
  Tensor embed_decoder(const Ids& ids, Index first) const override {
    return embed(to_, ids, first, "model: decoder");
  }
  Tensor encode(Tensor x, const Flags& real, Probe* probe, std::size_t first) const override;
  Tensor decode(DecoderStart start, const EncoderMemory& memory, const DecoderStep& step) const override;

 private:
  void read_stack(ConfigReader& config, BartStack& stack);
  void read_ids(ConfigReader& config);
  void check_layout(ConfigReader& config) const;
  void plan(WeightPlan& weights);
  void plan_words(WeightPlan& weights, const std::string& prefix);
  void plan_head(WeightPlan& weights);
  void plan_stack(WeightPlan& weights, const std::string& at, BartStack& stack);
  void plan_layer(WeightPlan& weights, const std::string& at, const BartStack& stack, BartLayer& layer);

  Tensor embed(const BartStack& stack, const Ids& ids, Index first, const char* who) const;
  void add_sinusoids(Tensor& x, Index first) const;
  // What a part of a layer reads: x or, where norms come first, its norm.
  const Tensor& read(const LayerNorm& norm, const Tensor& x, LayerScratch& scratch) const;
  // After x += that part.
  void finish(const LayerNorm& norm, Tensor& x) const;
  void feed_forward(const BartLayer& layer, LayerScratch& scratch, Tensor& x) const;
  void self_attend(std::size_t index, const DecoderStep& step, LayerScratch& scratch, Tensor& y) const;

  BartLayout layout_ = kBartLayouts[0];
  Activation activation_ = Activation::gelu;
  bool scaled_words_ = false, tied_ = true, one_table_ = true;
  std::vector<double> wavelengths_;  // of sinusoids: 10000^(2i / E)

  BartStack from_, to_;
  std::vector<BartLayer> encoder_;
  std::vector<BartDecoderLayer> decoder_;
  Linear output_;
};

Bart::Bart(ConfigReader& config, WeightPlan& weights) {
  config_.family = ModelFamily::bart;
  config_.type = config.text("model_type", "bart");
  layout_ = bart_layout_of(config_.type);
  config_.layers = config.layers({"encoder_layers"});
  config_.decoder_layers = config.layers({"decoder_layers"});
  config_.width = config.size({"d_model"});
  config_.max_tokens = config.size({"max_position_embeddings"});
  config_.has_logits = true;
  activation_ = config.activation({"activation_function"}, "gelu");
  scaled_words_ = config.flag("scale_embedding", false);
  tied_ = config.flag("tie_word_embeddings", true);
  from_.vocabulary = to_.vocabulary = config.size({"vocab_size"});
  one_table_ = tied_;
  if (layout_.sinusoids && !config.flag("share_encoder_decoder_embeddings", true)) {
    one_table_ = false;
    to_.vocabulary = config.size({"decoder_vocab_size"}, from_.vocabulary);
  }
  config_.vocabulary = to_.vocabulary;
  from_.name = "encoder";
  to_.name = "decoder";
  for (BartStack* stack : {&from_, &to_}) read_stack(config, *stack);
  decoder_heads_ = to_.heads;
  config_.heads = config_.kv_heads = from_.heads.heads;
  config_.head_width = from_.heads.width;
  config_.inner_width = from_.inner_width;
  read_ids(config);
  check_layout(config);
  config.finish();
  plan(weights);
}

void Bart::read_stack(ConfigReader& config, BartStack& stack) {
  const std::string heads_name = stack.name + "_attention_heads";
  const Index heads = config.size({heads_name.c_str()});
  stack.inner_width = config.size({(stack.name + "_ffn_dim").c_str()});
  if (config_.width % heads != 0) {
    config.complain(fmt::format("d_model {} is not a multiple of {} {}", config_.width, heads, heads_name));
  }
  stack.heads = {heads, heads, config_.width / heads};
}

void Bart::read_ids(ConfigReader& config) {
  config_.end_ids = config.ids("eos_token_id");
  config_.pad_id = config.id("pad_token_id").value_or(1);
  const Index end = config_.end_ids.empty() ? config_.pad_id : config_.end_ids.front();
  config_.decoder_start_id =
      config.id("decoder_start_token_id").value_or(layout_.sinusoids ? config_.pad_id : end);
}

// Files of old say the layout once more. One that says another was made for a program that is not this one.
void Bart::check_layout(ConfigReader& config) const {
  const std::pair<const char*, bool> said[] = {{"normalize_before", layout_.norms_first},
                                               {"add_final_layer_norm", layout_.norms_first},
                                               {"normalize_embedding", layout_.normed_embedding},
                                               {"static_position_embeddings", layout_.sinusoids}};
  for (const auto& [name, expected] : said) {
    if (config.flag(name, expected) == expected) continue;
    config.complain(fmt::format("{} is {}, expected {} of a model of type {}", name, !expected, expected,
                                layout_.type));
  }
}

void Bart::plan_layer(WeightPlan& weights, const std::string& at, const BartStack& stack,
                      BartLayer& layer) {
  const Index width = config_.width;
  const std::string self = at + "self_attn.";
  weights.stacked({{self + "q_proj", width}, {self + "k_proj", width}, {self + "v_proj", width}}, width,
                  true, layer.qkv);
  weights.linear(self + "out_proj", width, width, true, layer.output);
  weights.norm(at + "self_attn_layer_norm", width, layer.attention_norm);
  weights.linear(at + "fc1", stack.inner_width, width, true, layer.feed_forward.up);
  weights.linear(at + "fc2", width, stack.inner_width, true, layer.feed_forward.down);
  weights.norm(at + "final_layer_norm", width, layer.feed_forward_norm);
  layer.feed_forward.activation = activation_;
}

void Bart::plan_stack(WeightPlan& weights, const std::string& at, BartStack& stack) {
  const Index width = config_.width;
  if (!layout_.sinusoids) {
    weights.table({at + "embed_positions.weight"}, config_.max_tokens + kPositionOffset, width,
                  stack.positions);
  }
  if (layout_.normed_embedding) weights.norm(at + "layernorm_embedding", width, stack.embedding_norm);
  if (layout_.norms_first) weights.norm(at + "layer_norm", width, stack.last_norm);
}

// One table for encoder, decoder and output layer, or one each.
void Bart::plan_words(WeightPlan& weights, const std::string& prefix) {
  const std::string shared = prefix + "shared.weight", encoder = prefix + "encoder.embed_tokens.weight",
                    decoder = prefix + "decoder.embed_tokens.weight";
  const Index width = config_.width;
  if (one_table_) {
    weights.table({shared, encoder, decoder, "lm_head.weight"}, to_.vocabulary, width, to_.words, true);
    weights.afterwards([this] { from_.words = to_.words; });
  } else {
    weights.table({encoder, shared}, from_.vocabulary, width, from_.words);
    weights.table({decoder, shared}, to_.vocabulary, width, to_.words, tied_);
  }
}

void Bart::plan_head(WeightPlan& weights) {
  auto table = std::make_shared<std::shared_ptr<const PackedWeights>>();
  if (!tied_) {
    weights.packed({{{"lm_head.weight"}, {config_.vocabulary, config_.width}}},
                   [table](std::shared_ptr<const PackedWeights> own) { *table = std::move(own); });
  }
  auto bias = std::make_shared<Tensor>();
  if (weights.has("final_logits_bias")) {
    weights.tensor({{{"final_logits_bias"}, {1, config_.vocabulary}}}, [bias](Tensor loaded) {
      const Index vocabulary = loaded.shape()[1];
      *bias = std::move(loaded).reshaped({vocabulary});
    });
  }
  weights.afterwards(
      [this, table, bias] { output_ = Linear(*table ? *table : to_.words.packed(), std::move(*bias)); });
}

void Bart::plan(WeightPlan& weights) {
  const Index width = config_.width;
  // Models without an output layer of their own are saved without the prefix.
  const bool bare = weights.has("encoder.layers.0.self_attn.q_proj.weight");
  const std::string prefix = bare ? "" : "model.";
  plan_words(weights, prefix);
  plan_stack(weights, prefix + "encoder.", from_);
  encoder_.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    plan_layer(weights, prefix + "encoder.layers." + std::to_string(i) + ".", from_, encoder_[i]);
  }
  plan_stack(weights, prefix + "decoder.", to_);
  decoder_.resize(static_cast<std::size_t>(config_.decoder_layers));
  cross_.resize(decoder_.size());
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    BartDecoderLayer& layer = decoder_[i];
    const std::string at = prefix + "decoder.layers." + std::to_string(i) + ".",
                      cross = at + "encoder_attn.";
    plan_layer(weights, at, to_, layer);
    weights.linear(cross + "q_proj", width, width, true, cross_[i].query);
    weights.stacked({{cross + "k_proj", width}, {cross + "v_proj", width}}, width, true,
                    cross_[i].keys_values);
    weights.linear(cross + "out_proj", width, width, true, cross_[i].output);
    weights.norm(at + "encoder_attn_layer_norm", width, layer.cross_norm);
  }
  plan_head(weights);
  if (!layout_.sinusoids) return;
  weights.afterwards([this] {  // the width is that of real weights by now
    const auto all = static_cast<double>(config_.width);
    for (Index i = 0; i < config_.width; i += 2) {
      wavelengths_.push_back(std::pow(10000.0, static_cast<double>(i) / all));
    }
  });
}

// All sines in the first half, all cosines in the second. Computed where they are used: a config may
// promise any number of positions.
void Bart::add_sinusoids(Tensor& x, Index first) const {
  const Index batch = x.shape()[0], tokens = x.shape()[1], width = x.shape()[2];
  const Index sines = static_cast<Index>(wavelengths_.size());
  for (Index n = 0; n < tokens; ++n) {
    for (Index i = 0; i < width; ++i) {
      const bool sine = i < sines;
      const double angle =
          static_cast<double>(first + n) / wavelengths_[static_cast<std::size_t>(sine ? i : i - sines)];
      const auto value = static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
      for (Index b = 0; b < batch; ++b) x.data()[(b * tokens + n) * width + i] += value;
    }
  }
}

Tensor Bart::embed(const BartStack& stack, const Ids& ids, Index first, const char* who) const {
  Tensor x = stack.words(ids, who);
  if (scaled_words_) {
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(config_.width)));
    for (Index i = 0; i < x.shape().elements(); ++i) x.data()[i] *= scale;
  }
  if (layout_.sinusoids) {
    add_sinusoids(x, first);
  } else {
    stack.positions.add_to(x, counted_positions(ids.shape(), first + kPositionOffset), "model: positions");
  }
  if (layout_.normed_embedding) stack.embedding_norm.store(x, x);
  return x;
}

const Tensor& Bart::read(const LayerNorm& norm, const Tensor& x, LayerScratch& scratch) const {
  if (!layout_.norms_first) return x;
  norm.store(x, scratch.normed);
  return scratch.normed;
}

void Bart::finish(const LayerNorm& norm, Tensor& x) const {
  if (!layout_.norms_first) norm.store(x, x);
}

void Bart::feed_forward(const BartLayer& layer, LayerScratch& scratch, Tensor& x) const {
  layer.feed_forward.add(read(layer.feed_forward_norm, x, scratch), scratch.inner, x.view());
  finish(layer.feed_forward_norm, x);
}

Tensor Bart::encode(Tensor x, const Flags& real, Probe* probe, std::size_t first) const {
  AttentionOptions attention;
  if (!real.empty()) attention.mask = Mask::padding(real);
  LayerScratch scratch;
  for (std::size_t i = first; i < encoder_.size(); ++i) {
    const BartLayer& layer = encoder_[i];
    const AttentionPlace place = {AttentionKind::encoder, static_cast<Index>(i), probe};
    show_stream(place, StreamPoint::before, x);
    const Tensor& input = read(layer.attention_norm, x, scratch);
    scratch.projected.project(input, layer.qkv, from_.heads);
    attend(scratch.projected, attention, place, scratch.attended);
    ProjectionRecord(place).show(ProjectionSource::self(input, layer.qkv, from_.heads), scratch.attended,
                                 layer.output);
    layer.output.add(scratch.attended, x.view());
    finish(layer.attention_norm, x);
    show_stream(place, StreamPoint::middle, x);
    feed_forward(layer, scratch, x);
    show_stream(place, StreamPoint::after, x);
  }
  if (layout_.norms_first) from_.last_norm.store(x, x);
  return x;
}

void Bart::self_attend(std::size_t index, const DecoderStep& step, LayerScratch& scratch, Tensor& y) const {
  const BartDecoderLayer& layer = decoder_[index];
  show_stream(step.place(AttentionKind::decoder, index), StreamPoint::before, y);
  const Tensor& input = read(layer.attention_norm, y, scratch);
  scratch.projected.project(input, layer.qkv, to_.heads);
  step.attend(index, scratch.projected, {}, scratch.attended);
  step.record(AttentionKind::decoder, index)
      .show(ProjectionSource::self(input, layer.qkv, to_.heads), scratch.attended, layer.output);
  step.keep_attended(index, y);
  layer.output.add(scratch.attended, y.view());
  finish(layer.attention_norm, y);
}

Tensor Bart::decode(DecoderStart start, const EncoderMemory& memory, const DecoderStep& step) const {
  Tensor y = std::move(start.y);
  LayerScratch scratch;
  for (std::size_t i = start.layer; i < decoder_.size(); ++i) {
    const BartDecoderLayer& layer = decoder_[i];
    const AttentionPlace place = step.place(AttentionKind::decoder, i);
    if (start.attended && i == start.layer) {
      step.keep_attended(i, y);
    } else {
      self_attend(i, step, scratch, y);
    }
    show_stream(place, StreamPoint::middle, y);
    cross_attend(i, read(layer.cross_norm, y, scratch), memory, step, scratch, y);
    finish(layer.cross_norm, y);
    show_stream(place, StreamPoint::cross, y);
    feed_forward(layer, scratch, y);
    show_stream(place, StreamPoint::after, y);
  }
  if (layout_.norms_first) to_.last_norm.store(y, y);
  return y;
}

Tensor Bart::last_norm(Tensor x) const {
  if (layout_.norms_first) to_.last_norm.store(x, x);
  return x;
}

std::optional<Readout> Bart::readout() const {
  if (!layout_.norms_first) return std::nullopt;
  return Readout{to_.last_norm.weight, to_.last_norm.bias, to_.last_norm.epsilon, true, output_};
}

}  // namespace

std::unique_ptr<Architecture> make_bart(ConfigReader& config, WeightPlan& weights) {
  return std::make_unique<Bart>(config, weights);
}

}  // namespace fovea
