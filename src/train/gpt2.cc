// GPT-2 to be trained: a decoder with learned positions; norms come before what they feed.
//
//   x = dropout(word + position)
//   per layer:  x += dropout(attention(norm(x)));  x += dropout(feed_forward(norm(x)))
//   logits = norm(x) · wordsᵀ
#include <cmath>

#include "models/config_reader.h"
#include "train/layouts.h"
#include "train/stack_network.h"

namespace fovea {
namespace {

struct Gpt2Block {
  NormLayer attention_norm, feed_forward_norm;
  SelfAttentionLayer attention;
  FeedForwardLayer feed_forward;
};

class Gpt2Network final : public StackNetwork {
 public:
  Gpt2Network(const TrainableConfig& config, Random& random);

 private:
  void embed(const NetworkInput& input, View x) override;
  void embed_backward(const NetworkInput& input, View dx) override;
  void block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) override;
  void block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                      View dx) override;
  void head(ConstView x, View y) override { last_norm_.forward(x, y); }
  void head_backward(ConstView x, View dx) override { last_norm_.backward(x, dx, dx); }

  EmbeddingTable words_, positions_;
  std::vector<Gpt2Block> blocks_;
  NormLayer last_norm_;
};

Gpt2Network::Gpt2Network(const TrainableConfig& config, Random& random) : StackNetwork(config) {
  const TrainableConfig& c = config_;
  const Index width = c.width, inner = c.inner_width;
  const double deviation = 0.02, narrow = deviation / std::sqrt(2.0 * static_cast<double>(c.layers));
  const WeightLayout layout = WeightLayout::inputs_outputs;
  ParameterPlan plan(parameters_);
  plan.table("transformer.wte", c.vocabulary, width, deviation, words_);
  plan.table("transformer.wpe", c.max_tokens, width, deviation, positions_);
  blocks_.resize(static_cast<std::size_t>(c.layers));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Gpt2Block& block = blocks_[i];
    const std::string at = "transformer.h." + std::to_string(i) + ".";
    plan.norm(at + "ln_1", width, c.norm_epsilon, true, block.attention_norm);
    plan.linear(at + "attn.c_attn", layout, width, 3 * width, true, deviation, block.attention.qkv);
    plan.linear(at + "attn.c_proj", layout, width, width, true, narrow, block.attention.output);
    plan.norm(at + "ln_2", width, c.norm_epsilon, true, block.feed_forward_norm);
    plan.linear(at + "mlp.c_fc", layout, width, inner, true, deviation, block.feed_forward.up);
    plan.linear(at + "mlp.c_proj", layout, inner, width, true, narrow, block.feed_forward.down);
    block.attention.heads = {c.heads, c.heads, width / c.heads};
    block.feed_forward.activation = *ConfigReader::activation_named(c.activation);
  }
  plan.norm("transformer.ln_f", width, c.norm_epsilon, true, last_norm_);
  if (c.tied) {
    plan.tied(words_, output_);
  } else {
    plan.linear("lm_head", WeightLayout::outputs_inputs, width, c.vocabulary, false, deviation, output_);
  }
  plan.finish(random);
}

void Gpt2Network::embed(const NetworkInput& input, View x) {
  words_.forward(input.ids, x);
  positions_.add_forward(input.positions, x);
  if (input.dropout > 0) dropout(x, input.dropout_of(-1, 0), x);
}

void Gpt2Network::embed_backward(const NetworkInput& input, View dx) {
  if (input.dropout > 0) dropout(dx, input.dropout_of(-1, 0), dx);
  words_.backward(input.ids, dx);
  positions_.backward(input.positions, dx);
}

void Gpt2Network::block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) {
  const Gpt2Block& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape());

  block.attention_norm.forward(x, first);
  block.attention.forward(first, input.attention(layer), state.attention, middle);
  add_dropout(middle, x, input.dropout_of(layer, 0), middle);  // middle = x + dropout(attention)

  block.feed_forward_norm.forward(middle, second);
  block.feed_forward.forward(second, state.feed_forward, y);
  add_dropout(y, middle, input.dropout_of(layer, 1), y);  // y = middle + dropout(feed-forward)
}

// The same from the end. dx is the gradient by y, then by middle, then by x: what a half adds to the stream
// lets the gradient through, and what came through its norm is added to it.
void Gpt2Network::block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                                 View dx) {
  const Gpt2Block& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape()), dnormed = scratch_.gradient.shaped(x.shape());

  block.feed_forward.backward(second, state.feed_forward, dropped(input, layer, 1, dx), scratch_.inner,
                              dnormed, 0);
  block.feed_forward_norm.add_backward(middle, dnormed, dx);

  block.attention.backward(first, input.attention(layer), state.attention, dropped(input, layer, 0, dx),
                           scratch_.attention, dnormed, 0);
  block.attention_norm.add_backward(x, dnormed, dx);
}

}  // namespace

std::unique_ptr<Network> make_gpt2_network(const TrainableConfig& config, Random& random) {
  return std::make_unique<Gpt2Network>(config, random);
}

}  // namespace fovea
