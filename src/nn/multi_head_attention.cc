#include "fovea/multi_head_attention.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "ops/attention_concat.h"
#include "ops/projection.h"

namespace fovea {
namespace {

// Replaces the zeros of a config by what they mean, and checks the rest.
MultiHeadConfig completed(MultiHeadConfig c) {
  if (c.d_model < 1 || c.heads < 1 || c.kv_heads < 0 || c.d_k < 0 || c.d_v < 0) {
    fail(
        "[multi-head] d_model {} and heads {} must be positive, kv_heads {}, d_k {} and d_v {} not "
        "negative",
        c.d_model, c.heads, c.kv_heads, c.d_k, c.d_v);
  }
  if (c.d_k == 0 && c.d_model % c.heads != 0) {
    fail("[multi-head] d_model {} is not divisible by {} heads", c.d_model, c.heads);
  }
  if (c.kv_heads == 0) c.kv_heads = c.heads;
  if (c.heads % c.kv_heads != 0) {
    fail("[multi-head] {} heads are not a multiple of {} key/value heads", c.heads, c.kv_heads);
  }
  if (!(c.dropout >= 0 && c.dropout < 1)) fail("[multi-head] dropout is {}, expected 0 ≤ p < 1", c.dropout);
  if (c.d_k == 0) c.d_k = c.d_model / c.heads;
  if (c.d_v == 0) c.d_v = c.d_k;
  // Throw for sizes that no memory holds, before they are multiplied without a check.
  static_cast<void>(Shape{3, c.heads, c.d_k, c.d_model});
  static_cast<void>(Shape{3, c.heads, c.d_v, c.d_model});
  return c;
}

// Rows of in_proj_weight: first those of W_q, then of W_k, then of W_v.
struct Rows {
  Index q, k, v;
  explicit Rows(const MultiHeadConfig& c)
      : q(c.heads * c.d_k), k(c.kv_heads * c.d_k), v(c.kv_heads * c.d_v) {}
  Index total() const { return q + k + v; }
};

void fill_xavier(float* weights, Index fan_out, Index fan_in, Random& random) {
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  for (Index i = 0; i < fan_out * fan_in; ++i) {
    weights[i] = static_cast<float>((2 * random.uniform() - 1) * bound);
  }
}

MultiHeadAttention::Parameters fresh_parameters(const MultiHeadConfig& c, Random& random) {
  const Rows rows(c);
  MultiHeadAttention::Parameters p;
  p.in_proj_weight = Tensor::uninitialized({rows.total(), c.d_model});
  float* at = p.in_proj_weight.data();
  for (const Index part : {rows.q, rows.k, rows.v}) {
    fill_xavier(at, part, c.d_model, random);
    at += part * c.d_model;
  }
  p.out_proj_weight = Tensor::uninitialized({c.d_model, c.heads * c.d_v});
  fill_xavier(p.out_proj_weight.data(), c.d_model, c.heads * c.d_v, random);
  if (c.bias) {
    p.in_proj_bias = Tensor({rows.total()});
    p.out_proj_bias = Tensor({c.d_model});
  }
  return p;
}

// The parameters by their names in PyTorch, with the shape each must have.
struct NamedParameter {
  const char* name;
  Tensor MultiHeadAttention::Parameters::*tensor;
  Shape shape;
};

std::vector<NamedParameter> named_parameters(const MultiHeadConfig& c) {
  using P = MultiHeadAttention::Parameters;
  const Index rows = Rows(c).total();
  std::vector<NamedParameter> list = {
      {"in_proj_weight", &P::in_proj_weight, {rows, c.d_model}},
      {"out_proj.weight", &P::out_proj_weight, {c.d_model, c.heads * c.d_v}}};
  if (c.bias) {
    list.push_back({"in_proj_bias", &P::in_proj_bias, {rows}});
    list.push_back({"out_proj.bias", &P::out_proj_bias, {c.d_model}});
  }
  return list;
}

std::string misfit(const std::string& name, const Shape& got, const Shape& expected) {
  return fmt::format("; {} is {}, expected {}", name, got.to_string(), expected.to_string());
}

Tensor without_batch_axis(Tensor tensor) {
  if (tensor.empty()) return tensor;
  const Shape shape = tensor.view().select(0, 0).shape();
  return std::move(tensor).reshaped(shape);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadConfig& config, Random& random)
    : config_(completed(config)), parameters_(fresh_parameters(config_, random)) {}

MultiHeadAttention::MultiHeadAttention(const MultiHeadConfig& config, Random&& random)
    : MultiHeadAttention(config, random) {}

AttentionResult MultiHeadAttention::operator()(ConstView x, const AttentionOptions& options) const {
  return (*this)(x, x, x, options);
}

AttentionResult MultiHeadAttention::operator()(ConstView query, ConstView memory,
                                               const AttentionOptions& options) const {
  return (*this)(query, memory, memory, options);
}

AttentionResult MultiHeadAttention::operator()(ConstView query, ConstView key, ConstView value,
                                               const AttentionOptions& options) const {
  for (const ConstView* input : {&query, &key, &value}) {
    const Shape& shape = input->shape();
    if (shape.rank() < 2 || shape.rank() > 3 || shape.rank() != query.shape().rank() ||
        shape.back() != config_.d_model) {
      fail("[multi-head] inputs must all be [B, N, {0}] or all [N, {0}]: query {1}, key {2}, value {3}",
           config_.d_model, query.shape().to_string(), key.shape().to_string(), value.shape().to_string());
    }
  }
  if (query.shape().rank() == 2) {
    AttentionResult one = (*this)(query.insert_axis(0), key.insert_axis(0), value.insert_axis(0), options);
    return {without_batch_axis(std::move(one.output)), without_batch_axis(std::move(one.weights)),
            without_batch_axis(std::move(one.logsumexp))};
  }
  const Rows rows(config_);
  Tensor q_memory, k_memory, v_memory;
  const ConstView q = project_heads(query, 0, config_.heads, config_.d_k, "W_q", q_memory);
  const ConstView k = project_heads(key, rows.q, config_.kv_heads, config_.d_k, "W_k", k_memory);
  const ConstView v = project_heads(value, rows.q + rows.k, config_.kv_heads, config_.d_v, "W_v", v_memory);

  AttentionOptions used = options;
  if (!training_) used.dropout = 0;
  if (training_ && used.dropout == 0) used.dropout = config_.dropout;
  AttentionResult result = attention_concat(q, k, v, used);  // [B, N, H·d_v]
  result.output = project_transposed("multi-head", result.output, parameters_.out_proj_weight,
                                     parameters_.out_proj_bias.data(), "W_O");
  return result;
}

ConstView MultiHeadAttention::project_heads(ConstView x, Index begin, Index heads, Index width,
                                            const char* name, Tensor& memory) const {
  const ConstView weight =
      std::as_const(parameters_.in_proj_weight).view().slice(0, begin, begin + heads * width);
  const float* bias = config_.bias ? parameters_.in_proj_bias.data() + begin : nullptr;
  // A cache line more than needed: rows that lie a multiple of 4 KiB apart share few places of a cache, and
  // attention was 6 to 15 % slower for 16 heads of 64.
  const Index batch = x.shape()[0], tokens = x.shape()[1], columns = heads * width, stride = columns + 16;
  memory = Tensor::uninitialized({batch * tokens, stride});
  project_transposed("multi-head", x, weight, bias, name, memory.view().slice(1, 0, columns));
  return ConstView(memory.data(), {batch, heads, tokens, width}, {tokens * stride, width, stride, 1});
}

void MultiHeadAttention::set_parameters(Parameters parameters) {
  std::string wrong;
  for (const NamedParameter& p : named_parameters(config_)) {
    const Shape& got = (parameters.*p.tensor).shape();
    if (!(got == p.shape)) wrong += misfit(p.name, got, p.shape);
  }
  if (!config_.bias && (!parameters.in_proj_bias.empty() || !parameters.out_proj_bias.empty())) {
    wrong += "; biases given, but the module has none";
  }
  if (!wrong.empty()) fail("[multi-head] parameters do not fit{}", wrong);
  parameters_ = std::move(parameters);
}

}  // namespace fovea
