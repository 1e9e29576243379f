// The gradient of linear attention: first over the queries, then over the keys.
#include <algorithm>

#include "core/fail.h"
#include "fovea/linear_attention.h"
#include "fovea/threads.h"
#include "kernels/linear_attention_backward.h"
#include "ops/linear_attention_heads.h"

namespace fovea {
namespace {

using kernels::LinearBackwardHead;

class LinearBackward {
 public:
  explicit LinearBackward(std::vector<LinearBackwardHead> heads)
      : heads_(std::move(heads)),
        count_(static_cast<Index>(heads_.size())),
        products_(products_of(heads_.front(), count_)),
        group_(heads_.front().group),
        keys_{heads_.front().m, kernels::linear_chunk(heads_.front().depth)},
        queries_{heads_.front().n, keys_.chunk},
        key_size_(kernels::linear_key_state_size(heads_.front().depth, heads_.front().value_width)),
        query_size_(kernels::linear_query_state_size(heads_.front().depth, heads_.front().value_width)) {}

  void run_full() const {
    if (one_thread_per_head(count_)) {
      parallel_for_products(products_, count_, [&](Index i) { run_full_head(head(i)); });
      return;
    }
    LinearStates key_states = sums_of_keys();
    const Index pieces = group_ * queries_.count();
    LinearStates query_states(count_, pieces, query_size_);
    parallel_for_products(products_, count_ * pieces, [&](Index item) {
      const Index i = item / pieces, piece = item % pieces, c = piece % queries_.count();
      kernels::linear_differentiate_queries(head(i), piece / queries_.count(), queries_.begin(c),
                                            queries_.end(c), key_states.all(i),
                                            query_states.chunk(i, piece));
    });
    query_states.add_up(count_);
    parallel_for_products(products_, count_ * keys_.count(), [&](Index item) {
      const Index i = item / keys_.count(), c = item % keys_.count();
      kernels::linear_differentiate_keys(head(i), keys_.begin(c), keys_.end(c), query_states.all(i));
    });
  }

  void run_causal() const {
    if (one_thread_per_head(count_) || keys_.count() == 1) {
      parallel_for_products(products_, count_, [&](Index i) { run_causal_head(head(i)); });
      return;
    }
    LinearStates key_states = sums_of_keys();
    for_segments([&](Index i, Index from, Index to) {
      if (from == 0) zero_blind_queries(head(i));
      LinearRunningMemory state(key_size_, key_states.before(i, from));
      kernels::linear_differentiate_causal_queries(head(i), keys_.begin(from), keys_.end(to - 1), *state);
    });
    // Sums from the last chunk to the first: chunk c stands at count − 1 − c.
    const Index chunks = keys_.count();
    LinearStates query_states(count_, chunks, query_size_);
    parallel_for_products(products_, count_ * chunks, [&](Index item) {
      const Index i = item / chunks, c = item % chunks;
      kernels::linear_backward_sum_causal_queries(head(i), keys_.begin(c), keys_.end(c),
                                                  query_states.chunk(i, chunks - 1 - c));
    });
    query_states.add_up(count_);
    for_segments([&](Index i, Index from, Index to) {
      LinearRunningMemory state(query_size_, query_states.before(i, chunks - to));
      kernels::linear_differentiate_causal_keys(head(i), keys_.begin(from), keys_.end(to - 1), *state);
    });
  }

 private:
  const LinearBackwardHead& head(Index i) const { return heads_[static_cast<std::size_t>(i)]; }

  void run_full_head(const LinearBackwardHead& head) const {
    Tensor keys({2, key_size_}), queries({2, query_size_});
    for (Index c = 0; c < keys_.count(); ++c) {
      kernels::linear_backward_sum_keys(head, keys_.begin(c), keys_.end(c), keys.data() + key_size_);
      kernels::linear_add_state(keys.data() + key_size_, key_size_, keys.data());
    }
    for (Index piece = 0; piece < group_ * queries_.count(); ++piece) {
      const Index c = piece % queries_.count();
      kernels::linear_differentiate_queries(head, piece / queries_.count(), queries_.begin(c),
                                            queries_.end(c), keys.data(), queries.data() + query_size_);
      kernels::linear_add_state(queries.data() + query_size_, query_size_, queries.data());
    }
    kernels::linear_differentiate_keys(head, 0, head.m, queries.data());
  }

  void run_causal_head(const LinearBackwardHead& head) const {
    zero_blind_queries(head);
    LinearRunningMemory keys(key_size_);
    kernels::linear_differentiate_causal_queries(head, 0, head.m, *keys);
    LinearRunningMemory queries(query_size_);
    kernels::linear_differentiate_causal_keys(head, 0, head.m, *queries);
  }

  LinearStates sums_of_keys() const {
    LinearStates states(count_, keys_.count(), key_size_);
    parallel_for_products(products_, count_ * keys_.count(), [&](Index item) {
      const Index i = item / keys_.count(), c = item % keys_.count();
      kernels::linear_backward_sum_keys(head(i), keys_.begin(c), keys_.end(c), states.chunk(i, c));
    });
    states.add_up(count_);
    return states;
  }

  // body(head, first chunk, end): a segment of several chunks runs on from its first state.
  template <typename Body>
  void for_segments(const Body& body) const {
    const Index segments = std::min(keys_.count(), Index{4} * thread_count());
    parallel_for_products(products_, count_ * segments, [&](Index item) {
      const Index s = item % segments;
      body(item / segments, s * keys_.count() / segments, (s + 1) * keys_.count() / segments);
    });
  }

  // Queries before the first key see nothing.
  static void zero_blind_queries(const LinearBackwardHead& head) {
    const Index blind = std::clamp<Index>(head.n - head.m, 0, head.n);
    for (Index g = 0; g < head.group; ++g) {
      std::fill_n(head.dq + g * head.n * head.depth, blind * head.depth, 0.0f);
    }
  }

  const std::vector<LinearBackwardHead> heads_;
  const Index count_, products_, group_;
  const LinearChunks keys_, queries_;
  const Index key_size_, query_size_;
};

void check(const AttentionViews& views, const ConstView& doutput, const LinearAttentionOptions& options) {
  const Shape expected = views.result_shape(views.q.shape()[3], views.v.shape()[4]);
  if (doutput.shape() != expected) {
    fail("[linear_attention_backward] doutput has shape {}, expected {}", doutput.shape().to_string(),
         expected.to_string());
  }
  if (!options.feature_map.has_derivative()) {
    fail(
        "[linear_attention_backward] the custom feature map has no derivative; "
        "FeatureMap::custom(function, "
        "derivative) gives it one");
  }
}

}  // namespace

LinearAttentionGradients linear_attention_backward(ConstView q, ConstView k, ConstView v, ConstView doutput,
                                                   const LinearAttentionOptions& options) {
  const AttentionViews views = linear_attention_views("linear_attention_backward", q, k, v, options);
  check(views, doutput, options);
  LinearAttentionGradients result{Tensor::uninitialized(q.shape()), Tensor::uninitialized(k.shape()),
                                  Tensor::uninitialized(v.shape())};
  const Index rows = views.q.shape()[0] * views.q.shape()[1] * views.q.shape()[2] * views.q.shape()[3];
  if (rows == 0 || views.k.shape()[3] == 0 || doutput.shape().elements() == 0) {
    for (Tensor* gradient : {&result.dq, &result.dk, &result.dv}) {
      std::fill_n(gradient->data(), gradient->shape().elements(), 0.0f);
    }
    return result;
  }
  Tensor copy;
  if (!doutput.is_contiguous()) copy = Tensor::copy_of(doutput);
  Tensor row_numbers = Tensor::uninitialized({2, rows});  // denominators, gammas
  std::vector<LinearBackwardHead> heads;
  Index i = 0;
  for (const kernels::LinearHead& forward : linear_heads(views, options, nullptr)) {
    LinearBackwardHead head{};
    static_cast<kernels::LinearHead&>(head) = forward;
    const Index first_row = i * head.group * head.n;
    head.doutput = (copy.empty() ? doutput.data() : copy.data()) + first_row * head.value_width;
    head.doutput_head_stride = head.n * head.value_width, head.doutput_stride = head.value_width;
    head.dq = result.dq.data() + first_row * head.depth;
    head.dk = result.dk.data() + i * head.m * head.depth;
    head.dv = result.dv.data() + i * head.m * head.value_width;
    head.denominators = row_numbers.data() + first_row;
    head.gammas = head.denominators + rows;
    heads.push_back(head);
    ++i;
  }
  const LinearBackward work(std::move(heads));
  run_observed(
      "linear_attention_backward", [&] { return linear_text(views, options); },
      [&] { options.causal ? work.run_causal() : work.run_full(); });
  return result;
}

}  // namespace fovea
