#include "ops/linear_attention_heads.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/threads.h"

namespace fovea {

void check_epsilon(const char* op, const LinearAttentionOptions& options) {
  if (!(options.epsilon >= 0) || std::isinf(options.epsilon)) {
    fail("[{}] epsilon is {}, expected a finite number ≥ 0", op, options.epsilon);
  }
}

AttentionViews linear_attention_views(const char* op, ConstView q, ConstView k, ConstView v,
                                      const LinearAttentionOptions& options) {
  check_epsilon(op, options);
  return attention_views(op, q, k, v);
}

std::vector<kernels::LinearHead> linear_heads(const AttentionViews& views,
                                              const LinearAttentionOptions& options, float* out) {
  const ConstView &q = views.q, &k = views.k, &v = views.v;
  const Index batches = q.shape()[1], heads = q.shape()[2], key_heads = k.shape()[2];
  std::vector<kernels::LinearHead> result;
  if (key_heads == 0) return result;
  const Index group = heads / key_heads;
  kernels::LinearHead head{};
  head.q_head_stride = q.stride(2), head.q_stride = q.stride(3), head.q_element_stride = q.stride(4);
  head.k_stride = k.stride(3), head.v_stride = v.stride(3);
  head.group = group, head.n = q.shape()[3], head.m = k.shape()[3];
  head.depth = q.shape()[4], head.value_width = v.shape()[4];
  head.out_head_stride = head.n * head.value_width;
  head.map = &options.feature_map;
  head.epsilon = options.epsilon;
  for (Index i = 0; i < q.shape()[0] * batches * key_heads; ++i) {
    const Index a = i / key_heads / batches, b = i / key_heads % batches, h = i % key_heads;
    const auto start = [&](const ConstView& x, Index first) {
      return x.data() + a * x.stride(0) + b * x.stride(1) + first * x.stride(2);
    };
    head.q = start(q, h * group);
    head.k = start(k, h);
    head.v = start(v, h);
    head.out = out == nullptr ? nullptr : out + i * group * head.out_head_stride;
    result.push_back(head);
  }
  return result;
}

bool one_thread_per_head(Index heads) {
  const Index threads = thread_count();
  return heads % threads == 0 || heads >= 4 * threads;
}

CallText linear_text(const AttentionViews& views, const LinearAttentionOptions& options) {
  const Shape &q = views.q.shape(), &k = views.k.shape();
  const bool whole = one_thread_per_head(k[0] * k[1] * k[2]);
  return {
      shapes_text(q, k, views.v.shape()),
      fmt::format("{}, chunks of {} keys, {}", options.causal ? "causal" : "full",
                  kernels::linear_chunk(q[4]), whole ? "a thread per head" : "heads shared by threads")};
}

void LinearStates::add_up(Index heads) {
  // Slices of the state are independent; 1024 floats are whole vectors on any machine.
  constexpr Index kSlice = 1024;
  const Index slices = (size_ + kSlice - 1) / kSlice;
  parallel_for(heads * slices, [&](Index item) {
    const Index head = item / slices, first = item % slices * kSlice;
    const Index length = std::min(kSlice, size_ - first);
    std::fill_n(at(head, 0) + first, length, 0.0f);
    for (Index c = 0; c < chunks_; ++c) {
      kernels::linear_add_state(at(head, c) + first, length, at(head, c + 1) + first);
    }
  });
}

LinearRunningMemory::LinearRunningMemory(Index state_size, const float* state)
    : LinearRunningMemory(state_size) {
  std::copy_n(state, state_size, state_.base);
  std::copy_n(state, state_size, state_.running);
}

}  // namespace fovea
