// Linear attention of tokens that arrive one by one.
#include <algorithm>

#include "core/fail.h"
#include "fovea/linear_attention.h"
#include "ops/large_values.h"
#include "ops/linear_attention_heads.h"

namespace fovea {
namespace {

constexpr const char* kName = "LinearAttentionStream";

LinearStreamConfig completed(LinearStreamConfig config) {
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.d_v == 0) config.d_v = config.d_k;
  if (config.heads < 1 || config.kv_heads < 1 || config.heads % config.kv_heads != 0) {
    fail("[{}] {} query heads are not a multiple of {} key heads", kName, config.heads, config.kv_heads);
  }
  if (config.d_k < 1 || config.d_v < 1) {
    fail("[{}] d_k is {} and d_v is {}, expected at least 1", kName, config.d_k, config.d_v);
  }
  return config;
}

// One token, [heads, width], as [heads, 1, width].
ConstView as_rank_3(ConstView x) {
  if (x.shape().rank() == 2) return x.insert_axis(1);
  return x;
}

void check(const char* what, const ConstView& x, Index heads, Index width) {
  if (x.shape().rank() != 3 || x.shape()[0] != heads || x.shape()[2] != width) {
    fail("[{}] {} have shape {}, expected [{}, T, {}] or, of one token, [{}, {}]", kName, what,
         x.shape().to_string(), heads, width, heads, width);
  }
}

}  // namespace

LinearAttentionStream::LinearAttentionStream(const LinearStreamConfig& config,
                                             const LinearAttentionOptions& options)
    : config_(completed(config)),
      options_(options),
      state_size_(kernels::linear_state_size(config_.d_k, config_.d_v)),
      state_({config_.kv_heads, 3, state_size_}) {
  options_.causal = true;
  check_epsilon(kName, options_);
}

void LinearAttentionStream::reset() {
  std::fill_n(state_.data(), state_.shape().elements(), 0.0f);
  tokens_ = 0;
  shrunk_ = false;
}

// The state cannot be computed again, so it makes room as soon as values come whose sum may not be a
// float32.
void LinearAttentionStream::shrink_state() {
  const Index sums =
      state_size_ - kernels::linear_state_size(config_.d_k, 0);  // before those of keys alone
  for (Index i = 0; i < config_.kv_heads * 3; ++i) {
    float* state = state_.data() + i * state_size_;
    for (Index at = 0; at < sums; ++at) state[at] *= kValueShrink;
  }
  shrunk_ = true;
}

Tensor LinearAttentionStream::append(ConstView q, ConstView k, ConstView v) {
  const ConstView queries = as_rank_3(q), keys = as_rank_3(k), values = as_rank_3(v);
  check("queries", queries, config_.heads, config_.d_k);
  check("keys", keys, config_.kv_heads, config_.d_k);
  check("values", values, config_.kv_heads, config_.d_v);
  const Index tokens = queries.shape()[1];
  if (keys.shape()[1] != tokens || values.shape()[1] != tokens) {
    fail("[{}] {} queries, {} keys and {} values, expected the same number of each", kName, tokens,
         keys.shape()[1], values.shape()[1]);
  }
  if (kernels::linear_state_size(config_.d_k, config_.d_v) != state_size_) {
    fail(
        "[{}] the instruction set was changed after the stream was made; its state is laid out for the old "
        "one",
        kName);
  }
  Tensor output = Tensor::uninitialized({config_.heads, tokens, config_.d_v});
  if (tokens > 0) {
    if (!shrunk_ && has_large_values(values)) shrink_state();
    Tensor small;
    if (shrunk_) small = shrunk_values(values);
    const AttentionViews views = attention_views(kName, queries.insert_axis(0), keys.insert_axis(0),
                                                 (shrunk_ ? small.view() : values).insert_axis(0));
    const std::vector<kernels::LinearHead> heads = linear_heads(views, options_, output.data());
    const Index chunk = kernels::linear_chunk(config_.d_k);
    const auto run = [&](Index i) {
      float* state = state_.data() + i * 3 * state_size_;
      kernels::LinearRunningState running{state, state + state_size_, state + 2 * state_size_,
                                          tokens_ % chunk};
      kernels::linear_causal(heads[static_cast<std::size_t>(i)], 0, tokens, running);
    };
    const auto describe = [&] {
      LinearAttentionOptions causal = options_;
      causal.causal = true;  // whatever the caller said
      return linear_text(views, causal);
    };
    run_observed(kName, describe, [&] {
      parallel_for_products(products_of(heads.front(), config_.kv_heads), config_.kv_heads, run);
    });
    tokens_ += tokens;
    for (Index i = 0; shrunk_ && i < output.shape().elements(); ++i) output.data()[i] *= kValueGrow;
  }
  return q.shape().rank() == 2 ? std::move(output).reshaped({config_.heads, config_.d_v}) : output;
}

}  // namespace fovea
