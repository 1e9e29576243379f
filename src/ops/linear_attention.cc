// Linear attention in chunks of keys: sums of the chunks, their prefix sums, then the queries.
#include "fovea/linear_attention.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"
#include "core/strided_copy.h"
#include "kernels/linear_attention.h"
#include "ops/attention_views.h"

namespace fovea {
namespace {

// Keys per chunk. Fixed, so that the bits do not depend on the number of threads; each sum starts at zero
// in its chunk, which keeps long sums exact.
constexpr Index kChunk = 256;

class LinearAttention {
 public:
  LinearAttention(const AttentionViews& views, const LinearAttentionOptions& options, float* out)
      : options_(options),
        heads_(views.q.shape()[2]),
        key_heads_(views.k.shape()[2]),
        batch_(views.q.shape()[0] * views.q.shape()[1]),
        n_(views.q.shape()[3]),
        m_(views.k.shape()[3]),
        depth_(views.q.shape()[4]),
        value_width_(views.v.shape()[4]),
        chunks_((m_ + kChunk - 1) / kChunk),
        state_size_(kernels::linear_state_size(depth_, value_width_)),
        q_(features(views.q)),
        k_(features(views.k)),
        v_(Tensor::copy_of(views.v)),
        // One state per chunk and one more: state c holds the keys before chunk c, the last one all keys.
        states_({batch_ * key_heads_, chunks_ + 1, state_size_}),
        out_(out) {}

  void run() {
    parallel_for(batch_ * key_heads_ * chunks_,
                 [this](Index item) { sum_chunk(item / chunks_, item % chunks_); });
    parallel_for(batch_ * key_heads_, [this](Index head) { add_up(head); });
    if (options_.causal) {
      std::fill_n(out_, batch_ * heads_ * n_ * value_width_,
                  0.0f);  // queries before the first key see nothing
      parallel_for(batch_ * heads_ * chunks_,
                   [this](Index item) { apply_causal(item / chunks_, item % chunks_); });
    } else {
      const Index pieces = (n_ + kChunk - 1) / kChunk;
      parallel_for(batch_ * heads_ * pieces,
                   [&](Index item) { apply_full(item / pieces, item % pieces * kChunk); });
    }
  }

 private:
  Tensor features(ConstView x) const {
    Tensor result = Tensor::copy_of(x);
    const Index elements = result.shape().elements();
    parallel_for((elements + 65535) / 65536, [&](Index piece) {
      float* at = result.data() + piece * 65536;
      kernels::apply_feature_map(options_.feature_map, at, std::min<Index>(65536, elements - piece * 65536),
                                 at);
    });
    return result;
  }

  Index key_head_of(Index head) const {
    return head / heads_ * key_heads_ + head % heads_ / (heads_ / key_heads_);
  }
  kernels::LinearRows queries(Index head, Index begin, Index end) const {
    return {q_.data() + (head * n_ + begin) * depth_, depth_, end - begin};
  }
  kernels::LinearRows keys(Index key_head, Index begin, Index end) const {
    return {k_.data() + (key_head * m_ + begin) * depth_, depth_, end - begin};
  }
  kernels::LinearRows values(Index key_head, Index begin, Index end) const {
    return {v_.data() + (key_head * m_ + begin) * value_width_, value_width_, end - begin};
  }
  float* state(Index key_head, Index chunk) {
    return states_.data() + (key_head * (chunks_ + 1) + chunk) * state_size_;
  }

  void sum_chunk(Index key_head, Index chunk) {
    const Index begin = chunk * kChunk, end = std::min(m_, begin + kChunk);
    kernels::linear_accumulate(keys(key_head, begin, end), values(key_head, begin, end), depth_,
                               value_width_, state(key_head, chunk + 1));
  }

  void add_up(Index key_head) {
    for (Index chunk = 1; chunk <= chunks_; ++chunk) {
      const float* before = state(key_head, chunk - 1);
      float* sum = state(key_head, chunk);
      for (Index i = 0; i < state_size_; ++i) sum[i] += before[i];
    }
  }

  void apply_full(Index head, Index begin) {
    kernels::linear_apply(queries(head, begin, std::min(n_, begin + kChunk)), depth_, value_width_,
                          state(key_head_of(head), chunks_), options_.epsilon,
                          out_ + (head * n_ + begin) * value_width_);
  }

  // The queries that stand in this chunk of keys, one after the other: each adds its own key first.
  void apply_causal(Index head, Index chunk) {
    const Index key_head = key_head_of(head);
    const Index begin = chunk * kChunk, end = std::min(m_, begin + kChunk);
    const float* before = state(key_head, chunk);
    std::vector<float> running(before, before + state_size_);
    for (Index j = begin; j < end; ++j) {
      kernels::linear_accumulate(keys(key_head, j, j + 1), values(key_head, j, j + 1), depth_, value_width_,
                                 running.data());
      const Index i = j - (m_ - n_);
      if (i < 0) continue;
      kernels::linear_apply(queries(head, i, i + 1), depth_, value_width_, running.data(), options_.epsilon,
                            out_ + (head * n_ + i) * value_width_);
    }
  }

  const LinearAttentionOptions& options_;
  const Index heads_, key_heads_, batch_, n_, m_, depth_, value_width_, chunks_, state_size_;
  const Tensor q_, k_, v_;  // row-major; φ applied to q and k
  Tensor states_;
  float* out_;
};

}  // namespace

Tensor linear_attention(ConstView q, ConstView k, ConstView v, const LinearAttentionOptions& options) {
  const AttentionViews views = attention_views("linear_attention", q, k, v);
  if (!(options.epsilon >= 0) || std::isinf(options.epsilon)) {
    fail("[linear_attention] epsilon is {}, expected a finite number ≥ 0", options.epsilon);
  }
  Tensor output = Tensor::uninitialized(views.result_shape(views.q.shape()[3], views.v.shape()[4]));
  if (views.k.shape()[3] == 0)
    std::fill_n(output.data(), output.shape().elements(), 0.0f);  // nothing to see
  else if (output.shape().elements() > 0)
    LinearAttention(views, options, output.data()).run();
  return output;
}

}  // namespace fovea
