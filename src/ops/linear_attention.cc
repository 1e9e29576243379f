// Linear attention: sums over the keys, then the queries; causal, both in one pass.
#include "fovea/linear_attention.h"

#include <algorithm>

#include "fovea/threads.h"
#include "kernels/finite.h"
#include "ops/large_values.h"
#include "ops/linear_attention_heads.h"

namespace fovea {
namespace {

using kernels::LinearHead;

class LinearAttention {
 public:
  explicit LinearAttention(std::vector<LinearHead> heads)
      : heads_(std::move(heads)),
        count_(static_cast<Index>(heads_.size())),
        products_(products_of(heads_.front(), count_)),
        first_(heads_.front()),
        keys_{first_.m, kernels::linear_chunk(first_.depth)},
        state_size_(kernels::linear_state_size(first_.depth, first_.value_width)) {}

  void run_full() const {
    if (one_thread_per_head(count_)) {
      parallel_for_products(products_, count_, [&](Index i) { run_full_head(head(i)); });
      return;
    }
    LinearStates states = sums_of_chunks();
    const LinearChunks queries{first_.n, kernels::linear_chunk(first_.depth)};
    const Index pieces = first_.group * queries.count();
    parallel_for_products(products_, count_ * pieces, [&](Index item) {
      const Index i = item / pieces, g = item % pieces / queries.count(), c = item % queries.count();
      kernels::linear_apply_full(head(i), g, queries.begin(c), queries.end(c), states.all(i));
    });
  }

  void run_causal() const {
    // Queries before the first key see nothing.
    const Index blind = std::clamp<Index>(first_.n - first_.m, 0, first_.n);
    if (one_thread_per_head(count_) || keys_.count() == 1) {
      parallel_for_products(products_, count_, [&](Index i) {
        zero_rows(head(i), blind);
        LinearRunningMemory state(state_size_);
        kernels::linear_causal(head(i), 0, first_.m, *state);
      });
      return;
    }
    LinearStates states = sums_of_chunks();
    // A segment of several chunks runs on from its first state.
    const Index segments = std::min(keys_.count(), Index{4} * thread_count());
    parallel_for_products(products_, count_ * segments, [&](Index item) {
      const Index i = item / segments, s = item % segments;
      const Index from = s * keys_.count() / segments, to = (s + 1) * keys_.count() / segments;
      if (s == 0) zero_rows(head(i), blind);
      LinearRunningMemory state(state_size_, states.before(i, from));
      kernels::linear_causal(head(i), keys_.begin(from), keys_.end(to - 1), *state);
    });
  }

 private:
  const LinearHead& head(Index i) const { return heads_[static_cast<std::size_t>(i)]; }

  void run_full_head(const LinearHead& head) const {
    Tensor states({2, state_size_});
    float *all = states.data(), *chunk = all + state_size_;
    for (Index c = 0; c < keys_.count(); ++c) {
      kernels::linear_sum_chunk(head, keys_.begin(c), keys_.end(c), chunk);
      kernels::linear_add_state(chunk, state_size_, all);
    }
    for (Index g = 0; g < head.group; ++g) kernels::linear_apply_full(head, g, 0, head.n, all);
  }

  LinearStates sums_of_chunks() const {
    LinearStates states(count_, keys_.count(), state_size_);
    parallel_for_products(products_, count_ * keys_.count(), [&](Index item) {
      const Index i = item / keys_.count(), c = item % keys_.count();
      kernels::linear_sum_chunk(head(i), keys_.begin(c), keys_.end(c), states.chunk(i, c));
    });
    states.add_up(count_);
    return states;
  }

  static void zero_rows(const LinearHead& head, Index rows) {
    for (Index g = 0; g < head.group; ++g) {
      std::fill_n(head.out + g * head.out_head_stride, rows * head.value_width, 0.0f);
    }
  }

  const std::vector<LinearHead> heads_;
  const Index count_, products_;
  const LinearHead& first_;  // extents are the same for all
  const LinearChunks keys_;
  const Index state_size_;
};

void run_once(const AttentionViews& views, const LinearAttentionOptions& options, Tensor& output) {
  const LinearAttention work(linear_heads(views, options, output.data()));
  options.causal ? work.run_causal() : work.run_full();
}

void run(const AttentionViews& views, const LinearAttentionOptions& options, Tensor& output) {
  run_once(views, options, output);
  const Index count = output.shape().elements();
  if (kernels::all_finite(output.data(), count) || !has_large_values(views.v)) return;
  const Tensor values = shrunk_values(views.v);
  AttentionViews smaller = views;
  smaller.v = values;
  Tensor again = Tensor::uninitialized(output.shape());
  run_once(smaller, options, again);
  take_where_not_finite(again.data(), count, output.data());
}

}  // namespace

Tensor linear_attention(ConstView q, ConstView k, ConstView v, const LinearAttentionOptions& options) {
  const AttentionViews views = linear_attention_views("linear_attention", q, k, v, options);
  Tensor output = Tensor::uninitialized(views.result_shape(views.q.shape()[3], views.v.shape()[4]));
  if (output.shape().elements() == 0) return output;
  if (views.k.shape()[3] == 0) {
    std::fill_n(output.data(), output.shape().elements(), 0.0f);  // nothing to see
    return output;
  }
  run_observed(
      "linear_attention", [&] { return linear_text(views, options); },
      [&] { run(views, options, output); });
  return output;
}

}  // namespace fovea
