#include "train/self_attention.h"

#include "ops/attention_buffers.h"
#include "train/head_views.h"

namespace fovea {
namespace {

// Queries, keys and values of a projection, or their gradients.
struct HeadViews {
  HeadViews(const View& rows, Index batch, Index tokens, const HeadSizes& h)
      : q(heads_of(rows, batch, tokens, 0, h.heads, h.width)),
        k(heads_of(rows, batch, tokens, h.query_columns(), h.kv_heads, h.width)),
        v(heads_of(rows, batch, tokens, h.query_columns() + h.key_columns(), h.kv_heads, h.width)) {}
  View q, k, v;  // [B, H, N, D], [B, Hkv, N, D] twice
};

}  // namespace

void SelfAttentionLayer::forward(ConstView x, const SelfAttentionCall& call, SelfAttentionState& state,
                                 View y) const {
  const Index rows = x.shape()[0], batch = call.batch, tokens = call.tokens;
  const View projected = state.qkv.rows_apart(rows, qkv.outputs());
  const View attended = state.attended.shaped({rows, heads.query_columns()});
  const View logsumexp = state.logsumexp.shaped({batch, heads.heads, tokens});
  qkv.forward(x, projected);
  const HeadViews parts(projected, batch, tokens, heads);
  if (call.rotary != nullptr) {
    call.rotary->rotate(parts.q.transpose(1, 2));
    call.rotary->rotate(parts.k.transpose(1, 2));
  }
  attention_into(parts.q, parts.k, parts.v, call.options,
                 heads_of(attended, batch, tokens, 0, heads.heads, heads.width), logsumexp);
  output.forward(attended, y);
}

void SelfAttentionLayer::backward(ConstView x, const SelfAttentionCall& call, SelfAttentionState& state,
                                  ConstView dy, SelfAttentionScratch& scratch, View dx, float beta) const {
  const Index rows = x.shape()[0], batch = call.batch, tokens = call.tokens;
  const View projected = state.qkv.rows_apart(rows, qkv.outputs());
  const View attended = state.attended.shaped({rows, heads.query_columns()});
  const View logsumexp = state.logsumexp.shaped({batch, heads.heads, tokens});
  const View dattended = scratch.dattended.shaped(attended.shape());
  output.backward(attended, dy, dattended);

  const View dprojected = scratch.dqkv.rows_apart(rows, qkv.outputs());
  const HeadViews parts(projected, batch, tokens, heads), dparts(dprojected, batch, tokens, heads);
  attention_backward_into(
      parts.q, parts.k, parts.v, call.options,
      {heads_of(attended, batch, tokens, 0, heads.heads, heads.width), logsumexp,
       heads_of(dattended, batch, tokens, 0, heads.heads, heads.width), dparts.q, dparts.k, dparts.v});
  if (call.rotary != nullptr) {  // they were given as they came out of the rotation
    call.rotary->rotate_back(dparts.q.transpose(1, 2));
    call.rotary->rotate_back(dparts.k.transpose(1, 2));
  }
  qkv.backward(x, dprojected, dx, beta);
}

}  // namespace fovea
