// BART to be trained on pairs of texts: an encoder, and a decoder that looks at it; norms come after the
// sums.
//
//   encoder:    x = dropout(norm(word + position))
//   per layer:  x = norm(x + dropout(attention(x)));  x = norm(x + dropout(feed_forward(x)))
//   decoder:    y = dropout(norm(word + position))
//   per layer:  y = norm(y + dropout(attention(y)));  y = norm(y + dropout(cross_attention(y, x)));
//               y = norm(y + dropout(feed_forward(y)))
//   logits = y · wordsᵀ
//
// Both tables of positions begin with two rows that nobody uses, as BART's do. BART's final_logits_bias is
// a constant of zeros: it is not learned, and not there.
#include <algorithm>

#include "core/parallel.h"
#include "models/config_reader.h"
#include "train/layouts.h"

namespace fovea {
namespace {

constexpr Index kPositionOffset = 2;

struct BartBlock {
  SelfAttentionLayer attention;
  CrossAttentionLayer cross;  // the decoder's
  NormLayer attention_norm, cross_norm, output_norm;
  FeedForwardLayer feed_forward;
};

// Sums before the norms, [rows, E] each, what came out of the first ones, and the states of the parts.
struct BartState {
  Buffer attended, crossed, fed;  // before the norms
  Buffer after_attention, after_cross;
  SelfAttentionState attention;
  CrossAttentionState cross;
  FeedForwardState feed_forward;
};

// One of the two stacks.
struct BartStack {
  EmbeddingTable positions;
  NormLayer embedding_norm;
  std::vector<BartBlock> blocks;
  std::vector<BartState> states;
  std::vector<Buffer> streams;  // the input of a block; the last: what comes out of the last block
  Buffer embedded;              // before the norm
  Index first = 0;              // number of its first layer: seeds of dropout must not meet

  Index layers() const { return static_cast<Index>(blocks.size()); }
};

class BartNetwork final : public Network {
 public:
  BartNetwork(const TrainableConfig& config, Random& random);

 private:
  void plan_stack(ParameterPlan& plan, const std::string& name, bool decoder, BartStack& stack) const;
  void forward(const NetworkInput& input, const LossOptions& options) override;
  void backward(const NetworkInput& input, const LossOptions& options, View dx) override;
  View last(const NetworkInput& input) override { return stream(decoder_, config_.layers, input); }
  std::vector<NamedStream> streams(const NetworkInput& input) override;
  void head(ConstView x, View y) override;
  void head_backward(ConstView /*x*/, View /*dx*/) override {}

  View stream(BartStack& stack, Index layer, const NetworkInput& input) const;
  BartState& state_of(BartStack& stack, Index layer) const;
  View memory(const NetworkInput& input) { return stream(encoder_, config_.layers, *input.source); }

  void stack_forward(BartStack& stack, const NetworkInput& input, const LossOptions& options);
  void stack_backward(BartStack& stack, const NetworkInput& input, const LossOptions& options, View dx);
  void block(BartStack& stack, const NetworkInput& input, Index layer);
  void block_backward(BartStack& stack, const NetworkInput& input, Index layer, View dx);

  EmbeddingTable words_;
  BartStack encoder_, decoder_;
  CrossAttentionScratch cross_scratch_;
  Buffer dmemory_;
  bool recompute_ = false;
};

BartNetwork::BartNetwork(const TrainableConfig& config, Random& random) : Network(config) {
  ParameterPlan plan(parameters_);
  plan.table("model.shared", config_.vocabulary, config_.width, 0.02, words_);
  plan_stack(plan, "model.encoder.", false, encoder_);
  plan_stack(plan, "model.decoder.", true, decoder_);
  decoder_.first = config_.layers;
  plan.tied(words_, output_);
  plan.finish(random);
}

void BartNetwork::plan_stack(ParameterPlan& plan, const std::string& name, bool decoder,
                             BartStack& stack) const {
  const Index width = config_.width, inner = config_.inner_width;
  const double deviation = 0.02;
  const WeightLayout layout = WeightLayout::outputs_inputs;
  const HeadSizes heads = {config_.heads, config_.heads, width / config_.heads};
  const auto norm = [&](const std::string& at, NormLayer& to) {
    plan.norm(at, width, config_.norm_epsilon, true, to);
  };
  plan.table(name + "embed_positions", config_.max_tokens + kPositionOffset, width, deviation,
             stack.positions);
  norm(name + "layernorm_embedding", stack.embedding_norm);
  stack.blocks.resize(static_cast<std::size_t>(config_.layers));
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
    BartBlock& block = stack.blocks[i];
    const std::string at = name + "layers." + std::to_string(i) + ".", self = at + "self_attn.",
                      cross = at + "encoder_attn.";
    plan.stacked({{self + "q_proj", width}, {self + "k_proj", width}, {self + "v_proj", width}}, width,
                 true, deviation, block.attention.qkv);
    plan.linear(self + "out_proj", layout, width, width, true, deviation, block.attention.output);
    norm(at + "self_attn_layer_norm", block.attention_norm);
    if (decoder) {
      plan.linear(cross + "q_proj", layout, width, width, true, deviation, block.cross.query);
      plan.stacked({{cross + "k_proj", width}, {cross + "v_proj", width}}, width, true, deviation,
                   block.cross.key_values);
      plan.linear(cross + "out_proj", layout, width, width, true, deviation, block.cross.output);
      norm(at + "encoder_attn_layer_norm", block.cross_norm);
    }
    plan.linear(at + "fc1", layout, width, inner, true, deviation, block.feed_forward.up);
    plan.linear(at + "fc2", layout, inner, width, true, deviation, block.feed_forward.down);
    norm(at + "final_layer_norm", block.output_norm);
    block.attention.heads = block.cross.heads = heads;
    block.feed_forward.activation = *ConfigReader::activation_named(config_.activation);
  }
}

View BartNetwork::stream(BartStack& stack, Index layer, const NetworkInput& input) const {
  return stack.streams[static_cast<std::size_t>(layer)].shaped({input.rows(), config_.width});
}

BartState& BartNetwork::state_of(BartStack& stack, Index layer) const {
  return stack.states[static_cast<std::size_t>(recompute_ ? 0 : layer)];
}

// Which of the two embeddings dropout is for: layer −1 has a part for each.
Index embedding_part(const BartStack& stack) { return stack.first == 0 ? 0 : 1; }

std::vector<Index> shifted_positions(const NetworkInput& input) {
  std::vector<Index> shifted = input.positions;
  for (Index& position : shifted) position += kPositionOffset;
  return shifted;
}

void BartNetwork::forward(const NetworkInput& input, const LossOptions& options) {
  recompute_ = options.recompute;
  stack_forward(encoder_, *input.source, options);
  stack_forward(decoder_, input, options);
}

// The decoder leaves the gradient by the encoder's output in dmemory_.
void BartNetwork::backward(const NetworkInput& input, const LossOptions& options, View dx) {
  stack_backward(decoder_, input, options, dx);
  stack_backward(encoder_, *input.source, options, dmemory_.shaped(memory(input).shape()));
}

void BartNetwork::stack_forward(BartStack& stack, const NetworkInput& input, const LossOptions& options) {
  stack.states.resize(static_cast<std::size_t>(recompute_ ? 1 : stack.layers()));
  stack.streams.resize(static_cast<std::size_t>(stack.layers() + 1));
  const View x = stream(stack, 0, input), sum = stack.embedded.shaped(x.shape());
  words_.forward(input.ids, sum);
  stack.positions.add_forward(shifted_positions(input), sum);
  stack.embedding_norm.forward(sum, x);
  if (input.dropout > 0) dropout(x, input.dropout_of(-1, embedding_part(stack)), x);
  for (Index layer = 0; layer < stack.layers(); ++layer) {
    check_stop(options.stop, "train");
    block(stack, input, layer);
  }
}

void BartNetwork::stack_backward(BartStack& stack, const NetworkInput& input, const LossOptions& options,
                                 View dx) {
  for (Index layer = stack.layers() - 1; layer >= 0; --layer) {
    check_stop(options.stop, "train");
    // The last block's state is still there; what an earlier one gave comes out again.
    if (recompute_ && layer < stack.layers() - 1) block(stack, input, layer);
    block_backward(stack, input, layer, dx);
  }
  if (input.dropout > 0) dropout(dx, input.dropout_of(-1, embedding_part(stack)), dx);
  stack.embedding_norm.backward(stack.embedded.shaped(dx.shape()), dx, dx);
  words_.backward(input.ids, dx);
  stack.positions.backward(shifted_positions(input), dx);
}

void BartNetwork::block(BartStack& stack, const NetworkInput& input, Index layer) {
  const BartBlock& block = stack.blocks[static_cast<std::size_t>(layer)];
  BartState& state = state_of(stack, layer);
  const Index number = stack.first + layer;
  const View x = stream(stack, layer, input), y = stream(stack, layer + 1, input);
  const View attended = state.attended.shaped(x.shape()), fed = state.fed.shaped(x.shape());
  View middle = state.after_attention.shaped(x.shape());

  block.attention.forward(x, input.attention(number), state.attention, attended);
  add_dropout(attended, x, input.dropout_of(number, 0), attended);  // x + dropout(attention)
  block.attention_norm.forward(attended, middle);
  if (input.source != nullptr) {
    const View crossed = state.crossed.shaped(x.shape()), after = state.after_cross.shaped(x.shape());
    block.cross.forward(middle, memory(input), input.cross_attention(number), state.cross, crossed);
    add_dropout(crossed, middle, input.dropout_of(number, 2), crossed);
    block.cross_norm.forward(crossed, after);
    middle = after;
  }
  block.feed_forward.forward(middle, state.feed_forward, fed);
  add_dropout(fed, middle, input.dropout_of(number, 1), fed);
  block.output_norm.forward(fed, y);
}

// The same from the end: each part adds what came through it to what went past it.
void BartNetwork::block_backward(BartStack& stack, const NetworkInput& input, Index layer, View dx) {
  const BartBlock& block = stack.blocks[static_cast<std::size_t>(layer)];
  BartState& state = state_of(stack, layer);
  const Index number = stack.first + layer;
  const View x = stream(stack, layer, input), after_attention = state.after_attention.shaped(x.shape());
  const bool crosses = input.source != nullptr;
  const View middle = crosses ? state.after_cross.shaped(x.shape()) : after_attention;

  block.output_norm.backward(state.fed.shaped(x.shape()), dx, dx);
  block.feed_forward.backward(middle, state.feed_forward, dropped(input, number, 1, dx), scratch_.inner, dx,
                              1);
  if (crosses) {
    const View kept = memory(input), dmemory = dmemory_.shaped(kept.shape());
    const bool is_first = layer == stack.layers() - 1;  // that reaches the encoder
    block.cross_norm.backward(state.crossed.shaped(x.shape()), dx, dx);
    block.cross.backward(after_attention, kept, input.cross_attention(number), state.cross,
                         dropped(input, number, 2, dx), cross_scratch_,
                         {dx, 1, dmemory, is_first ? 0.0f : 1.0f});
  }
  block.attention_norm.backward(state.attended.shaped(x.shape()), dx, dx);
  block.attention.backward(x, input.attention(number), state.attention, dropped(input, number, 0, dx),
                           scratch_.attention, dx, 1);
}

void BartNetwork::head(ConstView x, View y) { std::copy_n(x.data(), x.shape().elements(), y.data()); }

std::vector<Network::NamedStream> BartNetwork::streams(const NetworkInput& input) {
  std::vector<NamedStream> list;
  const auto add = [&](const std::string& name, BartStack& stack, const NetworkInput& rows) {
    list.push_back({"the embedding of the " + name, stream(stack, 0, rows)});
    for (Index layer = 0; layer < stack.layers(); ++layer) {
      list.push_back({"the output of layer " + std::to_string(layer) + " of the " + name,
                      stream(stack, layer + 1, rows)});
    }
  };
  add("encoder", encoder_, *input.source);
  add("decoder", decoder_, input);
  return list;
}

}  // namespace

std::unique_ptr<Network> make_bart_network(const TrainableConfig& config, Random& random) {
  return std::make_unique<BartNetwork>(config, random);
}

}  // namespace fovea
