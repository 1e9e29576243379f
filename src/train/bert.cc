// BERT to be trained on masked words: everybody sees everybody; norms come after the sums.
//
//   x = dropout(norm(word + position + segment))
//   per layer:  x = norm(x + dropout(attention(x)));  x = norm(x + dropout(feed_forward(x)))
//   logits = norm(gelu(dense(x))) · wordsᵀ + bias
#include "models/config_reader.h"
#include "ops/activation.h"
#include "train/layouts.h"
#include "train/stack_network.h"

namespace fovea {
namespace {

struct BertBlock {
  SelfAttentionLayer attention;
  NormLayer attention_norm, output_norm;
  FeedForwardLayer feed_forward;
};

class BertNetwork final : public StackNetwork {
 public:
  BertNetwork(const TrainableConfig& config, Random& random);

 private:
  void embed(const NetworkInput& input, View x) override;
  void embed_backward(const NetworkInput& input, View dx) override;
  void block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) override;
  void block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                      View dx) override;
  void head(ConstView x, View y) override;
  void head_backward(ConstView x, View dx) override;

  EmbeddingTable words_, positions_, segments_;
  NormLayer embedding_norm_;
  std::vector<BertBlock> blocks_;
  LinearLayer head_dense_;
  NormLayer head_norm_;
  Activation activation_;
  Buffer embedded_;                     // before the norm
  Buffer head_inner_, head_activated_;  // of the head
  Buffer head_gradient_;
};

BertNetwork::BertNetwork(const TrainableConfig& config, Random& random)
    : StackNetwork(config), activation_(*ConfigReader::activation_named(config.activation)) {
  const TrainableConfig& c = config_;
  const Index width = c.width;
  const double deviation = 0.02;
  const WeightLayout layout = WeightLayout::outputs_inputs;
  ParameterPlan plan(parameters_);
  const std::string e = "bert.embeddings.";
  plan.table(e + "word_embeddings", c.vocabulary, width, deviation, words_);
  plan.table(e + "position_embeddings", c.max_tokens, width, deviation, positions_);
  plan.table(e + "token_type_embeddings", c.segments, width, deviation, segments_);
  plan.norm(e + "LayerNorm", width, c.norm_epsilon, true, embedding_norm_);
  blocks_.resize(static_cast<std::size_t>(c.layers));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BertBlock& block = blocks_[i];
    const std::string at = "bert.encoder.layer." + std::to_string(i) + ".", self = at + "attention.self.";
    plan.stacked({{self + "query", width}, {self + "key", width}, {self + "value", width}}, width, true,
                 deviation, block.attention.qkv);
    plan.linear(at + "attention.output.dense", layout, width, width, true, deviation,
                block.attention.output);
    plan.norm(at + "attention.output.LayerNorm", width, c.norm_epsilon, true, block.attention_norm);
    plan.linear(at + "intermediate.dense", layout, width, c.inner_width, true, deviation,
                block.feed_forward.up);
    plan.linear(at + "output.dense", layout, c.inner_width, width, true, deviation,
                block.feed_forward.down);
    plan.norm(at + "output.LayerNorm", width, c.norm_epsilon, true, block.output_norm);
    block.attention.heads = {c.heads, c.heads, width / c.heads};
    block.feed_forward.activation = activation_;
  }
  const std::string head = "cls.predictions.";
  plan.linear(head + "transform.dense", layout, width, width, true, deviation, head_dense_);
  plan.norm(head + "transform.LayerNorm", width, c.norm_epsilon, true, head_norm_);
  plan.tied(words_, output_);
  plan.bias(head + "bias", c.vocabulary, output_);
  plan.finish(random);
}

void BertNetwork::embed(const NetworkInput& input, View x) {
  const View sum = embedded_.shaped(x.shape());
  words_.forward(input.ids, sum);
  positions_.add_forward(input.positions, sum);
  segments_.add_forward(input.segments, sum);
  embedding_norm_.forward(sum, x);
  if (input.dropout > 0) dropout(x, input.dropout_of(-1, 0), x);
}

void BertNetwork::embed_backward(const NetworkInput& input, View dx) {
  if (input.dropout > 0) dropout(dx, input.dropout_of(-1, 0), dx);
  embedding_norm_.backward(embedded_.shaped(dx.shape()), dx, dx);
  words_.backward(input.ids, dx);
  positions_.backward(input.positions, dx);
  segments_.backward(input.segments, dx);
}

void BertNetwork::block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) {
  const BertBlock& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape());

  block.attention.forward(x, input.attention(layer), state.attention, first);
  add_dropout(first, x, input.dropout_of(layer, 0), first);  // first = x + dropout(attention)
  block.attention_norm.forward(first, middle);

  block.feed_forward.forward(middle, state.feed_forward, second);
  add_dropout(second, middle, input.dropout_of(layer, 1), second);  // second = middle + dropout(..)
  block.output_norm.forward(second, y);
}

// The same from the end. dx is the gradient by y, then by second; a half adds what came through it to what
// went past it: the gradient by middle, then by first, then by x.
void BertNetwork::block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                                 View dx) {
  const BertBlock& block = blocks_[static_cast<std::size_t>(layer)];
  const View first = state.first.shaped(x.shape()), second = state.second.shaped(x.shape());
  const View middle = state.middle.shaped(x.shape());

  block.output_norm.backward(second, dx, dx);
  block.feed_forward.backward(middle, state.feed_forward, dropped(input, layer, 1, dx), scratch_.inner, dx,
                              1);

  block.attention_norm.backward(first, dx, dx);
  block.attention.backward(x, input.attention(layer), state.attention, dropped(input, layer, 0, dx),
                           scratch_.attention, dx, 1);
}

void BertNetwork::head(ConstView x, View y) {
  const View inner = head_inner_.shaped(x.shape()), activated = head_activated_.shaped(x.shape());
  head_dense_.forward(x, inner);
  activate(activation_, inner, activated);
  head_norm_.forward(activated, y);
}

void BertNetwork::head_backward(ConstView x, View dx) {
  const View inner = head_inner_.shaped(x.shape()), activated = head_activated_.shaped(x.shape());
  const View gradient = head_gradient_.shaped(x.shape());
  head_norm_.backward(activated, dx, gradient);
  activate_backward(activation_, inner, gradient, gradient);
  head_dense_.backward(x, gradient, dx);
}

}  // namespace

std::unique_ptr<Network> make_bert_network(const TrainableConfig& config, Random& random) {
  return std::make_unique<BertNetwork>(config, random);
}

}  // namespace fovea
