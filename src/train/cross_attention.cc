#include "train/cross_attention.h"

#include "ops/attention_buffers.h"
#include "train/head_views.h"

namespace fovea {
namespace {

// Queries of the one projection, keys and values of the other, or their gradients.
struct CrossViews {
  CrossViews(const View& query, const View& key_values, const CrossAttentionCall& call, const HeadSizes& h)
      : q(heads_of(query, call.batch, call.tokens, 0, h.heads, h.width)),
        k(heads_of(key_values, call.batch, call.memory_tokens, 0, h.kv_heads, h.width)),
        v(heads_of(key_values, call.batch, call.memory_tokens, h.key_columns(), h.kv_heads, h.width)) {}
  View q, k, v;  // [B, H, N, D], [B, H, M, D] twice
};

}  // namespace

void CrossAttentionLayer::forward(ConstView x, ConstView memory, const CrossAttentionCall& call,
                                  CrossAttentionState& state, View y) const {
  const Index rows = x.shape()[0];
  const View projected = state.query.rows_apart(rows, query.outputs());
  const View kept = state.key_values.rows_apart(memory.shape()[0], key_values.outputs());
  const View attended = state.attended.shaped({rows, heads.query_columns()});
  const View logsumexp = state.logsumexp.shaped({call.batch, heads.heads, call.tokens});
  query.forward(x, projected);
  key_values.forward(memory, kept);
  const CrossViews parts(projected, kept, call, heads);
  attention_into(parts.q, parts.k, parts.v, call.options,
                 heads_of(attended, call.batch, call.tokens, 0, heads.heads, heads.width), logsumexp);
  output.forward(attended, y);
}

void CrossAttentionLayer::backward(ConstView x, ConstView memory, const CrossAttentionCall& call,
                                   CrossAttentionState& state, ConstView dy, CrossAttentionScratch& scratch,
                                   const Gradients& to) const {
  const Index rows = x.shape()[0], memory_rows = memory.shape()[0];
  const View attended = state.attended.shaped({rows, heads.query_columns()});
  const View logsumexp = state.logsumexp.shaped({call.batch, heads.heads, call.tokens});
  const View dattended = scratch.dattended.shaped(attended.shape());
  output.backward(attended, dy, dattended);

  const View dquery = scratch.dquery.rows_apart(rows, query.outputs());
  const View dkept = scratch.dkey_values.rows_apart(memory_rows, key_values.outputs());
  const CrossViews parts(state.query.rows_apart(rows, query.outputs()),
                         state.key_values.rows_apart(memory_rows, key_values.outputs()), call, heads);
  const CrossViews dparts(dquery, dkept, call, heads);
  attention_backward_into(
      parts.q, parts.k, parts.v, call.options,
      {heads_of(attended, call.batch, call.tokens, 0, heads.heads, heads.width), logsumexp,
       heads_of(dattended, call.batch, call.tokens, 0, heads.heads, heads.width), dparts.q, dparts.k,
       dparts.v});
  query.backward(x, dquery, to.dx, to.beta);
  key_values.backward(memory, dkept, to.dmemory, to.memory_beta);
}

}  // namespace fovea
