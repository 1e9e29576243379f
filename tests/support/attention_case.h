// One call of attention, to be changed by features before it runs: what the tests of forward, backward and
// statistics have in common.
#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"

namespace fovea::testing {

struct AttentionCase {
  Index batch = 2, heads = 4, key_heads = 4, n = 13, m = 21, d = 10, dv = 7;
  float magnitude = 2;
  bool transposed_strides = false;  // inputs given as views of [B, N, H, D] with gaps
  AttentionOptions options;
};

template <typename Case>
struct Feature {
  const char* name;
  std::function<void(Case&)> apply;
};

// Thousands of tiny calls are done faster by one thread; threads have tests of their own.
class OneThread {
 public:
  OneThread() { set_thread_count(1); }
  ~OneThread() { set_thread_count(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = thread_count();
};

// [B, H, N, W] filled with N(0, magnitude²), as row-major memory or as a view of every second float of [B,
// N, H, 2W].
struct Input {
  Tensor memory;
  ConstView view;
};

inline Input normal_input(const AttentionCase& c, Index heads, Index rows, Index width, std::uint64_t seed,
                          float magnitude) {
  Random random(seed);
  Tensor memory = c.transposed_strides ? random.normal({c.batch, rows, heads, 2 * width})
                                       : random.normal({c.batch, heads, rows, width});
  for (Index i = 0; i < memory.shape().elements(); ++i) memory.data()[i] *= magnitude;
  ConstView view = std::as_const(memory).view();
  if (c.transposed_strides) view = view.transpose(1, 2).slice(3, 0, 2 * width, 2);
  return {std::move(memory), view};
}
inline Input queries_of(const AttentionCase& c) {
  return normal_input(c, c.heads, c.n, c.d, 1, c.magnitude);
}
inline Input keys_of(const AttentionCase& c) {
  return normal_input(c, c.key_heads, c.m, c.d, 2, c.magnitude);
}
inline Input values_of(const AttentionCase& c) {
  return normal_input(c, c.key_heads, c.m, c.dv, 3, c.magnitude);
}

inline void hide(AttentionCase& c, const Mask& mask) { c.options.mask = c.options.mask & mask; }

inline Mask random_flags(const AttentionCase& c) {
  Random random(5);
  Flags flags = Flags::filled({c.batch, c.n, c.m}, 0);
  for (Index i = 0; i < flags.shape().elements(); ++i) flags.data()[i] = random.uniform() < 0.6;
  return Mask::dense(flags);
}

inline Mask additive_values(const AttentionCase& c) {
  Tensor values = Random(6).normal({c.n, c.m});
  for (Index i = 0; i < c.n * c.m; i += 3) values.data()[i] = -std::numeric_limits<float>::infinity();
  return Mask::additive(values);
}

inline Mask two_documents(const AttentionCase& c) {
  Ids documents = Ids::filled({c.m}, 0);
  for (Index j = c.m / 3; j < c.m; ++j) documents(j) = 1;
  return Mask::documents(documents);
}

inline Mask half_padding(const AttentionCase& c) {
  Flags real = Flags::filled({c.batch, c.m}, 1);
  for (Index b = 0; b < c.batch; ++b) {
    for (Index j = c.m / 2 + b; j < c.m; ++j) real(b, j) = 0;
  }
  return Mask::padding(real);
}

// One of each kind; they depend on the sizes, which must be final.
inline const std::vector<Feature<AttentionCase>>& mask_features() {
  using C = AttentionCase;
  static const std::vector<Feature<C>> features = {
      {"causal", [](C& c) { hide(c, Mask::causal()); }},
      {"causal top left", [](C& c) { hide(c, Mask::causal(Align::top_left)); }},
      {"padding", [](C& c) { hide(c, half_padding(c)); }},
      {"lengths",
       [](C& c) {
         hide(c, Mask::lengths({c.m - 1, c.m / 2}));
       }},
      {"window", [](C& c) { hide(c, Mask::sliding_window(4, 2)); }},
      {"sparse", [](C& c) { hide(c, Mask::sparse(3)); }},
      {"documents", [](C& c) { hide(c, two_documents(c)); }},
      {"prefix", [](C& c) { hide(c, Mask::prefix(5)); }},
      {"dense mask", [](C& c) { hide(c, random_flags(c)); }},
      {"additive mask", [](C& c) { hide(c, additive_values(c)); }},
      {"predicate",
       [](C& c) {
         hide(c, Mask::predicate(
                     [](Index b, Index h, Index i, Index j) { return (b + 2 * h + i + j) % 5 != 0; }));
       }},
      {"not window or causal", [](C& c) { hide(c, (!Mask::sliding_window(2, 2)) | Mask::causal()); }},
  };
  return features;
}

}  // namespace fovea::testing
