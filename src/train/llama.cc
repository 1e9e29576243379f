// Llama to be trained: rotary positions, grouped heads, root-mean-square norms, a gated feed-forward layer.
//
//   x = word
//   per layer:  x += attention(norm(x));  x += down(silu(gate(norm(x))) · up(norm(x)))
//   logits = output(norm(x))
#include "models/config_reader.h"
#include "models/rope.h"
#include "train/layouts.h"
#include "train/stack_network.h"

namespace fovea {
namespace {

struct LlamaBlock {
  NormLayer attention_norm, feed_forward_norm;
  SelfAttentionLayer attention;
  FeedForwardLayer feed_forward;
};

class LlamaNetwork final : public StackNetwork {
 public:
  LlamaNetwork(const TrainableConfig& config, Random& random);

 private:
  void embed(const NetworkInput& input, View x) override { words_.forward(input.ids, x); }
  void embed_backward(const NetworkInput& input, View dx) override { words_.backward(input.ids, dx); }
  void block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) override;
  void block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                      View dx) override;
  void head(ConstView x, View y) override { last_norm_.forward(x, y); }
  void head_backward(ConstView x, View dx) override { last_norm_.backward(x, dx, dx); }

  RotaryTable rotary_;
  EmbeddingTable words_;
  std::vector<LlamaBlock> blocks_;
  NormLayer last_norm_;
};

LlamaNetwork::LlamaNetwork(const TrainableConfig& config, Random& random) : StackNetwork(config) {
  const TrainableConfig& c = config_;
  const Index width = c.width, inner = c.inner_width, head = width / c.heads;
  const double deviation = 0.02;
  const WeightLayout layout = WeightLayout::outputs_inputs;
  rotary_ = RotaryTable(c.max_tokens, rope_frequencies(static_cast<double>(c.rope_theta), head));
  ParameterPlan plan(parameters_);
  plan.table("model.embed_tokens", c.vocabulary, width, deviation, words_);
  blocks_.resize(static_cast<std::size_t>(c.layers));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    LlamaBlock& block = blocks_[i];
    const std::string at = "model.layers." + std::to_string(i) + ".";
    const HeadSizes heads = block.attention.heads = {c.heads, c.kv_heads, head};
    plan.norm(at + "input_layernorm", width, c.norm_epsilon, false, block.attention_norm);
    plan.stacked({{at + "self_attn.q_proj", heads.query_columns()},
                  {at + "self_attn.k_proj", heads.key_columns()},
                  {at + "self_attn.v_proj", heads.key_columns()}},
                 width, false, deviation, block.attention.qkv);
    plan.linear(at + "self_attn.o_proj", layout, heads.query_columns(), width, false, deviation,
                block.attention.output);
    plan.norm(at + "post_attention_layernorm", width, c.norm_epsilon, false, block.feed_forward_norm);
    plan.stacked({{at + "mlp.gate_proj", inner}, {at + "mlp.up_proj", inner}}, width, false, deviation,
                 block.feed_forward.up);
    plan.linear(at + "mlp.down_proj", layout, inner, width, false, deviation, block.feed_forward.down);
    block.feed_forward.activation = *ConfigReader::activation_named(c.activation);
    block.feed_forward.gated = true;
  }
  plan.norm("model.norm", width, c.norm_epsilon, false, last_norm_);
  if (c.tied) {
    plan.tied(words_, output_);
  } else {
    plan.linear("lm_head", layout, width, c.vocabulary, false, deviation, output_);
  }
  plan.finish(random);
}

void LlamaNetwork::block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) {
  const LlamaBlock& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape());

  block.attention_norm.forward(x, first);
  block.attention.forward(first, input.attention(layer, &rotary_), state.attention, middle);
  add_dropout(middle, x, {}, middle);  // middle = x + attention; this layout drops attention weights only

  block.feed_forward_norm.forward(middle, second);
  block.feed_forward.forward(second, state.feed_forward, y);
  add_dropout(y, middle, {}, y);  // y = middle + feed-forward
}

// The same from the end; dx is the gradient by y, then by middle, then by x.
void LlamaNetwork::block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                                  View dx) {
  const LlamaBlock& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape()), dnormed = scratch_.gradient.shaped(x.shape());

  block.feed_forward.backward(second, state.feed_forward, dx, scratch_.inner, dnormed, 0);
  block.feed_forward_norm.add_backward(middle, dnormed, dx);

  block.attention.backward(first, input.attention(layer, &rotary_), state.attention, dx, scratch_.attention,
                           dnormed, 0);
  block.attention_norm.add_backward(x, dnormed, dx);
}

}  // namespace

std::unique_ptr<Network> make_llama_network(const TrainableConfig& config, Random& random) {
  return std::make_unique<LlamaNetwork>(config, random);
}

}  // namespace fovea
