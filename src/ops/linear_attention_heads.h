// Linear attention, head by head: what the forward and the backward pass ask of a call.
#pragma once

#include <vector>

#include "core/parallel.h"
#include "fovea/linear_attention.h"
#include "kernels/linear_attention.h"
#include "ops/attention_views.h"
#include "ops/observed_call.h"

namespace fovea {

// Throws Error unless epsilon is finite and ≥ 0.
void check_epsilon(const char* op, const LinearAttentionOptions& options);

// Checks shapes and options; throws Error that begins with "[op]".
AttentionViews linear_attention_views(const char* op, ConstView q, ConstView k, ConstView v,
                                      const LinearAttentionOptions& options);

// The key heads of a call, over all batch entries, each with the query heads that share it. `out` is the
// result of the whole call, row-major. Views and options must outlive the result.
std::vector<kernels::LinearHead> linear_heads(const AttentionViews& views,
                                              const LinearAttentionOptions& options, float* out);

// parallel_for, unless waking threads would take longer than the work: 100,000 products are about 5 µs.
template <typename Body>
void parallel_for_products(Index products, Index count, const Body& body) {
  if (products >= 100'000) {
    parallel_for(count, body);
  } else {
    for (Index i = 0; i < count; ++i) body(i);
  }
}

// Of a whole call, about.
inline Index products_of(const kernels::LinearHead& head, Index heads) {
  return heads * (head.group * head.n + head.m) * head.depth * head.value_width;
}

// Whether there are enough heads to keep every thread busy; otherwise the chunks of a head are shared out,
// which costs one more sum over the keys. Both give the same bits.
bool one_thread_per_head(Index heads);

// What is told of a call: shapes, order of the sums, how the work is shared out.
CallText linear_text(const AttentionViews& views, const LinearAttentionOptions& options);

// Chunks of rows of one length.
struct LinearChunks {
  Index rows, chunk;
  Index count() const { return (rows + chunk - 1) / chunk; }
  Index begin(Index c) const { return c * chunk; }
  Index end(Index c) const { return c + 1 < count() ? (c + 1) * chunk : rows; }
};

// States by head and chunk: [heads, chunks + 1, state], sum by sum from zero.
class LinearStates {
 public:
  LinearStates(Index heads, Index chunks, Index state_size)
      : chunks_(chunks),
        size_(state_size),
        states_(Tensor::uninitialized({heads, chunks + 1, state_size})) {}

  // Where the sum of chunk c goes.
  float* chunk(Index head, Index c) { return at(head, c + 1); }
  // After add_up(): the sum of all chunks before c, or of those after it.
  float* before(Index head, Index c) { return at(head, c); }
  float* all(Index head) { return at(head, chunks_); }
  void add_up(Index heads);

 private:
  float* at(Index head, Index c) { return states_.data() + (head * (chunks_ + 1) + c) * size_; }

  Index chunks_, size_;
  Tensor states_;
};

// The memory of a LinearRunningState, zeros.
class LinearRunningMemory {
 public:
  explicit LinearRunningMemory(Index state_size)
      : memory_(Tensor({3, state_size})),
        state_{memory_.data(), memory_.data() + state_size, memory_.data() + 2 * state_size, 0} {}
  // Starts from `state`, [state_size].
  LinearRunningMemory(Index state_size, const float* state);
  kernels::LinearRunningState& operator*() { return state_; }

 private:
  Tensor memory_;
  kernels::LinearRunningState state_;
};

}  // namespace fovea
