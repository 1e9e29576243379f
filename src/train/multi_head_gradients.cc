#include "fovea/multi_head_gradients.h"

#include <utility>

#include "core/fail.h"
#include "ops/attention_buffers.h"
#include "train/linear.h"

namespace fovea {
namespace {

ConstView with_batch_axis(const ConstView& x) {
  return x.shape().rank() == 2 ? ConstView(x.insert_axis(0)) : x;
}

void check_input(const char* name, const ConstView& x, const ConstView& query, Index width) {
  const Shape &got = x.shape(), &first = query.shape();
  const bool fits = got.rank() >= 2 && got.rank() <= 3 && got.rank() == first.rank() &&
                    got.back() == width && (got.rank() == 2 || got[0] == first[0]);
  if (fits) return;
  fail("[multi-head] {} is {}, expected [B, N, {}] or [N, {}], as the query {}", name, got.to_string(),
       width, width, first.to_string());
}

// x [B, N, E] as [B·N, E]; a copy where rows are not one behind the other.
ConstView rows_of_input(const ConstView& x, Tensor& copy) {
  const Shape shape = {x.shape()[0] * x.shape()[1], x.shape()[2]};
  if (x.is_contiguous()) return ConstView(x.data(), shape);
  copy = Tensor::copy_of(x);
  return ConstView(copy.data(), shape);
}

// One of the projections: rows [begin, begin + columns) of in_proj, gradients into those of `to`.
LinearLayer projection(const MultiHeadAttention::Parameters& p, MultiHeadAttention::Parameters* to,
                       Index begin, Index columns) {
  LinearLayer layer;
  const Index end = begin + columns;
  layer.weight = p.in_proj_weight.view().slice(0, begin, end).transpose(0, 1);
  if (!p.in_proj_bias.empty()) layer.bias = p.in_proj_bias.data() + begin;
  if (to == nullptr) return layer;
  layer.dweight = to->in_proj_weight.view().slice(0, begin, end).transpose(0, 1);
  if (!p.in_proj_bias.empty()) layer.dbias = to->in_proj_bias.data() + begin;
  return layer;
}

LinearLayer output_projection(const MultiHeadAttention::Parameters& p, MultiHeadAttention::Parameters* to) {
  LinearLayer layer;
  layer.weight = p.out_proj_weight.view().transpose(0, 1);
  if (!p.out_proj_bias.empty()) layer.bias = p.out_proj_bias.data();
  if (to == nullptr) return layer;
  layer.dweight = to->out_proj_weight.view().transpose(0, 1);
  if (!p.out_proj_bias.empty()) layer.dbias = to->out_proj_bias.data();
  return layer;
}

// Rows a cache line apart, as MultiHeadAttention keeps them.
Tensor projected_memory(Index rows, Index columns) { return Tensor::uninitialized({rows, columns + 16}); }
template <typename View_, typename Memory>
View_ projected_rows(Memory& memory) {
  const Shape& shape = memory.shape();
  return View_(memory.data(), {shape[0], shape[1] - 16}, {shape[1], 1});
}
// The same as [B, heads, N, width].
template <typename View_, typename Memory>
View_ projected_heads(Memory& memory, Index batch, Index heads) {
  const Index stride = memory.shape()[1], width = (stride - 16) / heads, tokens = memory.shape()[0] / batch;
  return View_(memory.data(), {batch, heads, tokens, width}, {tokens * stride, width, stride, 1});
}

// [B·N, heads · width] as [B, heads, N, width].
template <typename View_, typename Memory>
View_ concat_heads(Memory& memory, Index batch, Index heads) {
  const Index columns = memory.shape()[1], width = columns / heads, tokens = memory.shape()[0] / batch;
  return View_(memory.data(), {batch, heads, tokens, width}, {tokens * columns, width, columns, 1});
}

// Where the rows of W_k and W_v begin in in_proj.
struct ProjectionRows {
  explicit ProjectionRows(const MultiHeadConfig& c)
      : q(c.heads * c.d_k), k(c.kv_heads * c.d_k), v(c.kv_heads * c.d_v) {}
  Index q, k, v;
};

MultiHeadAttention::Parameters zeros_like(const MultiHeadAttention::Parameters& p) {
  MultiHeadAttention::Parameters zeros;
  zeros.in_proj_weight = Tensor(p.in_proj_weight.shape());
  zeros.out_proj_weight = Tensor(p.out_proj_weight.shape());
  if (!p.in_proj_bias.empty()) zeros.in_proj_bias = Tensor(p.in_proj_bias.shape());
  if (!p.out_proj_bias.empty()) zeros.out_proj_bias = Tensor(p.out_proj_bias.shape());
  return zeros;
}

}  // namespace

MultiHeadPass::MultiHeadPass(const MultiHeadAttention& module, ConstView x, const AttentionOptions& options)
    : MultiHeadPass(module, x, x, x, options, Inputs::self) {}

MultiHeadPass::MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView memory,
                             const AttentionOptions& options)
    : MultiHeadPass(module, query, memory, memory, options, Inputs::memory) {}

MultiHeadPass::MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView key,
                             ConstView value, const AttentionOptions& options)
    : MultiHeadPass(module, query, key, value, options, Inputs::three) {}

MultiHeadPass::MultiHeadPass(const MultiHeadAttention& module, ConstView query, ConstView key,
                             ConstView value, const AttentionOptions& options, Inputs inputs)
    : module_(module), inputs_(inputs), query_(query), key_(key), value_(value), options_(options) {
  const MultiHeadConfig& c = module.config();
  check_input("the query", query, query, c.d_model);
  check_input("the key", key, query, c.d_model);
  check_input("the value", value, query, c.d_model);
  const Shape shape = query.shape();
  query_ = with_batch_axis(query);
  key_ = with_batch_axis(key);
  value_ = with_batch_axis(value);
  options_.weights = options_.logsumexp = false;
  if (!module.training()) options_.dropout = 0;
  if (module.training() && options_.dropout == 0) options_.dropout = c.dropout;

  const Index batch = query_.shape()[0], tokens = query_.shape()[1];
  const ProjectionRows rows(c);
  const auto project = [&module](const ConstView& x, Index begin, Index columns, Tensor& to) {
    Tensor copy;
    const ConstView x_rows = rows_of_input(x, copy);
    to = projected_memory(x_rows.shape()[0], columns);
    projection(module.parameters(), nullptr, begin, columns).forward(x_rows, projected_rows<View>(to));
  };
  project(query_, 0, rows.q, q_);
  project(key_, rows.q, rows.k, k_);
  project(value_, rows.q + rows.k, rows.v, v_);

  attended_ = Tensor::uninitialized({batch * tokens, c.heads * c.d_v});
  logsumexp_ = Tensor::uninitialized({batch, c.heads, tokens});
  attention_into(projected_heads<View>(q_, batch, c.heads), projected_heads<View>(k_, batch, c.kv_heads),
                 projected_heads<View>(v_, batch, c.kv_heads), options_,
                 concat_heads<View>(attended_, batch, c.heads), logsumexp_.view());
  output_ = Tensor::uninitialized({batch * tokens, c.d_model});
  output_projection(module.parameters(), nullptr).forward(attended_, output_.view());
  output_ = std::move(output_).reshaped(shape);
}

MultiHeadGradients MultiHeadPass::backward(ConstView doutput) const {
  if (!(doutput.shape() == output_.shape())) {
    fail("[multi-head] doutput is {}, expected that of the output, {}", doutput.shape().to_string(),
         output_.shape().to_string());
  }
  const MultiHeadConfig& c = module_.config();
  const Index batch = query_.shape()[0];
  const ProjectionRows rows(c);
  MultiHeadGradients g;
  g.dparameters = zeros_like(module_.parameters());

  // The output layer, then the heads.
  Tensor doutput_copy, dattended = Tensor::uninitialized(attended_.shape());
  const ConstView doutput_rows = rows_of_input(with_batch_axis(doutput), doutput_copy);
  output_projection(module_.parameters(), &g.dparameters)
      .backward(attended_, doutput_rows, dattended.view());
  Tensor dq = Tensor::uninitialized(q_.shape()), dk = Tensor::uninitialized(k_.shape()),
         dv = Tensor::uninitialized(v_.shape());
  if (!options_.bias.is_none()) g.dbias = Tensor::uninitialized(bias_data_shape(options_.bias));
  attention_backward_into(
      projected_heads<ConstView>(q_, batch, c.heads), projected_heads<ConstView>(k_, batch, c.kv_heads),
      projected_heads<ConstView>(v_, batch, c.kv_heads), options_,
      {concat_heads<ConstView>(attended_, batch, c.heads), logsumexp_,
       concat_heads<View>(dattended, batch, c.heads), projected_heads<View>(dq, batch, c.heads),
       projected_heads<View>(dk, batch, c.kv_heads), projected_heads<View>(dv, batch, c.kv_heads),
       g.dbias.data()});

  // The three projections. What came from one input adds up.
  const auto back = [&](const ConstView& x, Index begin, Tensor& dprojected, Tensor& dx) {
    Tensor copy;
    const ConstView x_rows = rows_of_input(x, copy);
    const float beta = dx.empty() ? 0.0f : 1.0f;
    if (dx.empty()) dx = Tensor::uninitialized(x_rows.shape());
    const View dy = projected_rows<View>(dprojected);
    projection(module_.parameters(), &g.dparameters, begin, dy.shape()[1])
        .backward(x_rows, dy, dx.view(), beta);
  };
  Tensor& dkey = inputs_ == Inputs::self ? g.dquery : g.dkey;
  Tensor& dvalue = inputs_ == Inputs::three ? g.dvalue : dkey;
  back(query_, 0, dq, g.dquery);
  back(key_, rows.q, dk, dkey);
  back(value_, rows.q + rows.k, dv, dvalue);

  const bool without_batch = output_.shape().rank() == 2;
  for (const auto& [gradient, input] :
       {std::pair{&g.dquery, &query_}, {&g.dkey, &key_}, {&g.dvalue, &value_}}) {
    if (!gradient->empty() && !without_batch) *gradient = std::move(*gradient).reshaped(input->shape());
  }
  return g;
}

}  // namespace fovea
