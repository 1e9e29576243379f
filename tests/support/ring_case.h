// One attention over a ring, put together again on every rank and compared with the double reference.
#pragma once

#include <cstring>

#include "fovea/distributed.h"
#include "support/attention_case.h"
#include "support/expect_backward.h"
#include "support/expect_statistics.h"

namespace fovea::testing {

struct RingCase : AttentionCase {
  RingCase() { heads = key_heads = 2, n = 29, m = 37; }
  RowLayout layout = RowLayout::zigzag;
  BiasCells cells;
  StatisticsOptions wanted = {.thumbnail = 7, .top_k = 3};

  RingExtents extents() const { return {n, m, layout}; }
};

inline std::vector<Feature<RingCase>> ring_features() {
  const auto square = [](RingCase& c) { c.n = c.m = 35; };
  return {
      {"plain", [](RingCase&) {}},
      {"causal", [=](RingCase& c) { square(c), hide(c, Mask::causal()); }},
      {"window", [](RingCase& c) { hide(c, Mask::sliding_window(9, 3)); }},
      {"padding", [](RingCase& c) { hide(c, half_padding(c)); }},
      {"documents and causal",
       [=](RingCase& c) { square(c), hide(c, two_documents(c)), hide(c, Mask::causal()); }},
      {"additive mask", [](RingCase& c) { hide(c, additive_values(c)); }},
      {"grouped heads", [](RingCase& c) { c.heads = 4; }},
      {"softcap", [](RingCase& c) { c.options.softcap = 1.5f; }},
      {"alibi, causal, grouped",
       [=](RingCase& c) {
         square(c), hide(c, Mask::causal());
         c.key_heads = 1;
         c.options.bias = Bias::alibi(alibi_slopes(c.heads));
         c.cells = [](Index, Index h, Index i, Index j) {
           return std::pair(h, -static_cast<double>(std::abs(j - i)));
         };
       }},
      {"contiguous rows", [](RingCase& c) { c.layout = RowLayout::contiguous, hide(c, Mask::causal()); }},
      {"few rows", [](RingCase& c) { c.n = 5, c.m = 6, hide(c, Mask::causal()); }},
  };
}

// This rank's rows of a whole tensor [.., rows, width].
inline Tensor own_rows(const Ranks& ranks, ConstView whole, RowLayout layout) {
  const int axis = whole.shape().rank() - 2;
  const auto ranges = rows_of_rank(whole.shape()[axis], ranks.rank(), ranks.size(), layout);
  std::vector<Index> shape;
  for (int a = 0; a < whole.shape().rank(); ++a) shape.push_back(whole.shape()[a]);
  shape[static_cast<std::size_t>(axis)] = 0;
  for (const RowRange& range : ranges) shape[static_cast<std::size_t>(axis)] += range.size();
  Tensor own{Shape(shape)};
  Index outer = 1;
  for (int a = 0; a < axis; ++a) outer *= whole.shape()[a];
  const Tensor all = Tensor::copy_of(whole);
  const Index width = whole.shape().back();
  float* out = own.data();
  for (Index o = 0; o < outer; ++o) {
    for (const RowRange& range : ranges) {
      out = std::copy_n(all.data() + (o * whole.shape()[axis] + range.begin) * width, range.size() * width,
                        out);
    }
  }
  return own;
}

// The rows of all ranks, in the order of the whole: x is [outer, own rows, width].
template <typename T>
std::vector<T> whole_rows(const Ranks& ranks, const T* own, Index outer, Index rows, Index width,
                          RowLayout layout) {
  Index mine = 0;
  for (const RowRange& range : rows_of_rank(rows, ranks.rank(), ranks.size(), layout)) mine += range.size();
  const std::string bytes(reinterpret_cast<const char*>(own),
                          static_cast<std::size_t>(outer * mine * width) * sizeof(T));
  const std::vector<std::string> all = ranks.gather(bytes);
  std::vector<T> whole(static_cast<std::size_t>(outer * rows * width));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto* from = reinterpret_cast<const T*>(all[static_cast<std::size_t>(rank)].data());
    for (Index o = 0; o < outer; ++o) {
      for (const RowRange& range : rows_of_rank(rows, rank, ranks.size(), layout)) {
        T* to = whole.data() + (o * rows + range.begin) * width;
        std::memcpy(to, from, static_cast<std::size_t>(range.size() * width) * sizeof(T));
        from += range.size() * width;
      }
    }
  }
  return whole;
}

inline Tensor whole_tensor(const Ranks& ranks, const Tensor& own, const Shape& shape, Index outer,
                           Index rows, RowLayout layout) {
  const Index width = shape.elements() / std::max<Index>(1, outer * rows);
  Tensor whole = Tensor::uninitialized(shape);
  const std::vector<float> values = whole_rows(ranks, own.data(), outer, rows, width, layout);
  std::copy(values.begin(), values.end(), whole.data());
  return whole;
}

struct RingResults {
  AttentionResult forward;
  AttentionGradients gradients;
  AttentionStatistics statistics;
};

inline Tensor gradient_of(const RingCase& c) { return Random(4).normal({c.batch, c.heads, c.n, c.dv}); }

// Everything of this rank.
inline RingResults run_ring_here(const Ranks& ranks, const RingCase& c) {
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  const Tensor own_q = own_rows(ranks, q.view, c.layout), own_k = own_rows(ranks, k.view, c.layout),
               own_v = own_rows(ranks, v.view, c.layout),
               own_doutput = own_rows(ranks, gradient_of(c), c.layout);
  AttentionOptions options = c.options;
  options.logsumexp = true;
  RingResults own;
  own.forward = ring_attention(ranks, own_q, own_k, own_v, c.extents(), options);
  own.gradients =
      ring_attention_backward(ranks, own_q, own_k, own_v, own.forward, own_doutput, c.extents(), c.options);
  own.statistics = ring_attention_statistics(ranks, own_q, own_k, c.extents(), c.options, c.wanted);
  return own;
}

// Everything of all ranks, on each of them.
inline RingResults run_ring(const Ranks& ranks, const RingCase& c) {
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  const RingResults own = run_ring_here(ranks, c);
  const AttentionResult& forward = own.forward;
  const AttentionGradients& gradients = own.gradients;
  const AttentionStatistics& s = own.statistics;

  const Index outer = c.batch * c.heads, key_outer = c.batch * c.key_heads;
  const auto queries = [&](const Tensor& x, const Shape& shape) {
    return whole_tensor(ranks, x, shape, outer, c.n, c.layout);
  };
  const auto ids = [&](const Ids& x, const Shape& shape, Index width) {
    return Ids(shape, whole_rows(ranks, x.data(), outer, c.n, width, c.layout));
  };
  RingResults all;
  const Shape rows = {c.batch, c.heads, c.n};
  all.forward.output = queries(forward.output, {c.batch, c.heads, c.n, c.dv});
  all.forward.logsumexp = queries(forward.logsumexp, rows);
  all.gradients.dq = queries(gradients.dq, q.view.shape());
  all.gradients.dk = whole_tensor(ranks, gradients.dk, k.view.shape(), key_outer, c.m, c.layout);
  all.gradients.dv = whole_tensor(ranks, gradients.dv, v.view.shape(), key_outer, c.m, c.layout);
  all.gradients.dbias = gradients.dbias;
  all.statistics = s;
  for (Tensor AttentionStatistics::*member :
       {&AttentionStatistics::entropy, &AttentionStatistics::maximum, &AttentionStatistics::diagonal,
        &AttentionStatistics::distance, &AttentionStatistics::logsumexp}) {
    all.statistics.*member = queries(s.*member, rows);
  }
  const Index k_top = std::min(c.wanted.top_k, c.m);
  all.statistics.position = ids(s.position, rows, 1);
  all.statistics.visible = ids(s.visible, rows, 1);
  all.statistics.top_weights = queries(s.top_weights, {c.batch, c.heads, c.n, k_top});
  all.statistics.top_keys = ids(s.top_keys, {c.batch, c.heads, c.n, k_top}, k_top);
  all.statistics.received = whole_tensor(ranks, s.received, {c.batch, c.heads, c.m}, outer, c.m, c.layout);
  return all;
}

inline void expect_ring(const RingResults& got, const RingCase& c) {
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  compare_attention(got.forward, q.view, k.view, v.view, c.options);
  expect_backward(q.view, k.view, v.view, gradient_of(c), c.options, c.cells,
                  [&](const AttentionOptions&) { return got.gradients; });
  compare_statistics(got.statistics, StatisticsJudge(q.view, k.view, c.options, c.wanted.thumbnail),
                     c.wanted);
}

// One text for all bits of a result.
inline std::string bits_of(const RingResults& r) {
  std::string bits;
  for (const Tensor* x :
       {&r.forward.output, &r.forward.logsumexp, &r.gradients.dq, &r.gradients.dk, &r.gradients.dv,
        &r.gradients.dbias, &r.statistics.entropy, &r.statistics.received, &r.statistics.thumbnail,
        &r.statistics.thumbnail_max, &r.statistics.means.entropy}) {
    bits.append(reinterpret_cast<const char*>(x->data()),
                static_cast<std::size_t>(x->shape().elements()) * sizeof(float));
  }
  return bits;
}

// Tokens one by one and in a chunk, against one cache.
inline void expect_spread_cache(const Ranks& ranks) {
  Random random(11);
  const Index heads = 4, tokens = 37;
  SpreadCache cache(ranks, {.batch = 2, .kv_heads = 2, .d_k = 8}, 4);
  const Tensor k = random.normal({2, 2, tokens, 8}), v = random.normal({2, 2, tokens, 8});
  const AttentionOptions options{.mask = Mask::causal() & Mask::sliding_window(20, 0),
                                 .bias = Bias::alibi(alibi_slopes(heads)),
                                 .logsumexp = true};
  for (Index size = 21, at = 0; at < tokens; at = size++) {
    cache.append(k.view().slice(2, at, size), v.view().slice(2, at, size));
    ASSERT_EQ(cache.size(), size);
    const Tensor q =
        Random(static_cast<std::uint64_t>(size)).normal({2, heads, std::min<Index>(size, 3), 8});
    const AttentionResult got = cache.attention(q, options);
    compare_attention(got, q, k.view().slice(2, 0, size), v.view().slice(2, 0, size), options);
  }
  const std::vector<std::string> sizes = ranks.gather(std::to_string(cache.own_size()));
  Index all = 0;
  for (const std::string& text : sizes) all += std::stoll(text);
  EXPECT_EQ(all, tokens);
}

}  // namespace fovea::testing
