// attention_backward against the double reference: every pair of options, every remainder, every regime of
// values.
#include <gtest/gtest.h>

#include <functional>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "mask/t5_buckets.h"
#include "support/attention_case.h"
#include "support/expect_backward.h"

namespace fovea {
namespace {

using testing::BiasCells;
using testing::expect_backward;
using testing::half_padding;
using testing::Input;
using testing::mask_features;
using testing::OneThread;

struct Case : testing::AttentionCase {
  BiasCells cells;
};
using Feature = testing::Feature<Case>;

void relative(Case& c, Index max, Index columns) {
  c.options.bias = Bias::relative(Random(7).normal({2 * max + 1, columns}));
  c.cells = [max, columns, from = c.m - c.n](Index, Index h, Index i, Index j) {
    const Index row = std::clamp(j - i - from, -max, max) + max;
    return std::pair(row * columns + h % columns, 1.0);
  };
}

void t5(Case& c, bool both) {
  c.options.bias = Bias::t5(Random(8).normal({8, c.heads}), 8, 16, both);
  c.cells = [both, heads = c.heads, from = c.m - c.n](Index, Index h, Index i, Index j) {
    return std::pair(T5Buckets(8, 16, both)(j - i - from) * heads + h, 1.0);
  };
}

void alibi(Case& c) {
  c.options.bias = Bias::alibi(alibi_slopes(c.heads));
  c.cells = [from = c.m - c.n](Index, Index h, Index i, Index j) {
    return std::pair(h, -static_cast<double>(std::abs(j - i - from)));
  };
}

// Extents of 1 broadcast.
void dense(Case& c, Index batch, Index heads, Index n, Index m) {
  c.options.bias = Bias::dense(Random(9).normal({batch, heads, n, m}));
  c.cells = [=](Index b, Index h, Index i, Index j) {
    return std::pair(((b % batch * heads + h % heads) * n + i % n) * m + j % m, 1.0);
  };
}

const std::vector<Feature>& other_features() {
  static const std::vector<Feature> features = {
      {"grouped heads", [](Case& c) { c.key_heads = 2; }},
      {"one key head", [](Case& c) { c.key_heads = 1; }},
      {"more queries than keys", [](Case& c) { std::swap(c.n, c.m); }},
      {"many keys", [](Case& c) { c.m = 80; }},
      {"many queries", [](Case& c) { c.n = 101; }},
      {"strided", [](Case& c) { c.transposed_strides = true; }},
      {"peaked", [](Case& c) { c.magnitude = 8; }},
      {"scale", [](Case& c) { c.options.scale = 0.7f; }},
      {"softcap", [](Case& c) { c.options.softcap = 1.5f; }},
      {"dropout", [](Case& c) { c.options.dropout = 0.3f, c.options.seed = 11; }},
      {"relative bias", [](Case& c) { relative(c, 4, c.heads); }},
      {"one relative bias for all heads", [](Case& c) { relative(c, 6, 1); }},
      {"t5 bias", [](Case& c) { t5(c, true); }},
      {"t5 bias in one direction", [](Case& c) { t5(c, false); }},
      {"alibi", alibi},
      {"dense bias", [](Case& c) { dense(c, c.batch, c.heads, c.n, c.m); }},
      {"dense bias for all batch entries", [](Case& c) { dense(c, 1, c.heads, c.n, c.m); }},
      {"dense bias for all heads", [](Case& c) { dense(c, c.batch, 1, c.n, c.m); }},
      {"one dense bias", [](Case& c) { dense(c, 1, 1, c.n, c.m); }},
      {"dense bias per key", [](Case& c) { dense(c, c.batch, 1, 1, c.m); }},
      {"dense bias per query", [](Case& c) { dense(c, 1, c.heads, c.n, 1); }},
      {"one number", [](Case& c) { dense(c, 1, 1, 1, 1); }},
  };
  return features;
}

void run(const Case& c) {
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  const Input dout = normal_input(c, c.heads, c.n, c.dv, 4, 1);
  expect_backward(q.view, k.view, v.view, dout.view, c.options, c.cells);
}

template <typename Other>
void run_pair(const Feature& first, const Other& second) {
  SCOPED_TRACE(std::string(first.name) + " with " + second.name);
  Case c;
  first.apply(c);
  second.apply(c);
  run(c);
}

TEST(AttentionBackward, every_mask_with_every_option) {
  const OneThread one_thread;
  for (const auto& mask : mask_features()) {
    for (const Feature& other : other_features()) run_pair(other, mask);
  }
}

// Sizes come first in the list: masks and biases are made for them.
TEST(AttentionBackward, every_pair_of_options) {
  const OneThread one_thread;
  const auto& features = other_features();
  for (std::size_t a = 0; a < features.size(); ++a) {
    for (std::size_t b = a; b < features.size(); ++b) run_pair(features[a], features[b]);
  }
}

// Two vectors of queries and beyond, on any instruction set; keys around the register tile; widths of every
// remainder.
TEST(AttentionBackward, every_remainder) {
  const OneThread one_thread;
  Case c;
  c.batch = c.heads = c.key_heads = 1;
  for (c.n = 0; c.n <= 34; ++c.n) {
    for (const Index m : {0, 1, 2, 3, 4, 5, 6, 7, 9, 13}) {
      c.m = m;
      SCOPED_TRACE("n " + std::to_string(c.n) + " m " + std::to_string(m));
      run(c);
    }
  }
  c.n = 9, c.m = 5;
  for (c.d = 0; c.d <= 26; ++c.d) {
    for (c.dv = 0; c.dv <= 26; ++c.dv) {
      SCOPED_TRACE("d " + std::to_string(c.d) + " dv " + std::to_string(c.dv));
      run(c);
    }
  }
}

TEST(AttentionBackward, around_the_blocks) {
  for (const Index size : {47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 192, 193}) {
    SCOPED_TRACE("size " + std::to_string(size));
    Case c;
    c.batch = 1, c.heads = c.key_heads = 1, c.n = 260 - size, c.m = size, c.d = 8, c.dv = 4;
    run(c);
    c.options.mask = Mask::causal();
    run(c);
    c.options.mask = Mask::sliding_window(20, 0);
    run(c);
    c.options.mask = Mask::sparse(16);
    run(c);
  }
}

// More than 256 keys for few heads: ranges of keys that add to the same dq.
TEST(AttentionBackward, few_heads_are_cut_along_the_keys) {
  Case c;
  c.batch = 1, c.heads = 2, c.key_heads = 1, c.n = 230, c.m = 1100, c.d = 6, c.dv = 5;
  c.magnitude = 1.5f;
  run(c);
  relative(c, 40, 2);
  run(c);
  dense(c, 1, 1, c.n, c.m);
  c.options.mask = Mask::causal();
  run(c);
  c.options.bias = {};
  c.options.dropout = 0.2f;
  c.options.softcap = 3;
  run(c);
}

TEST(AttentionBackward, peaked_flat_tied_huge_and_tiny) {
  for (const float magnitude : {1e-12f, 1e-6f, 1e-2f, 1.0f, 8.0f, 100.0f}) {
    SCOPED_TRACE("magnitude " + std::to_string(magnitude));
    Case c;
    c.magnitude = magnitude;
    run(c);
    c.options.mask = Mask::causal() & half_padding(c);
    run(c);
  }
  expect_backward(Random(1).normal({7, 5}), Tensor::filled({9, 5}, 0.5f), Random(2).normal({9, 3}),
                  Random(3).normal({7, 3}));
}

TEST(AttentionBackward, every_rank) {
  Random random(3);
  expect_backward(random.normal({5, 4}), random.normal({6, 4}), random.normal({6, 3}),
                  random.normal({5, 3}));
  expect_backward(random.normal({2, 5, 4}), random.normal({2, 6, 4}), random.normal({2, 6, 3}),
                  random.normal({2, 5, 3}), {.mask = Mask::lengths({2, 5})});
  const Tensor q = random.normal({3, 2, 4, 5, 4}), k = random.normal({3, 2, 2, 6, 4}),
               v = random.normal({3, 2, 2, 6, 3}), dout = random.normal({3, 2, 4, 5, 3});
  expect_backward(q, k, v, dout, {.mask = Mask::lengths({2, 5})});
  expect_backward(q, k, v, dout, {.mask = Mask::additive(random.normal({3, 2, 4, 5, 6}))});
  // One value for each of the six batch entries, or each of the inner two, and each pair.
  expect_backward(q, k, v, dout, {.bias = Bias::dense(random.normal({3, 2, 1, 5, 6}))},
                  [](Index b, Index, Index i, Index j) { return std::pair((b * 5 + i) * 6 + j, 1.0); });
  expect_backward(q, k, v, dout, {.bias = Bias::dense(random.normal({2, 5, 6}))},
                  [](Index b, Index, Index i, Index j) { return std::pair((b % 2 * 5 + i) * 6 + j, 1.0); });
}

TEST(AttentionBackward, negative_and_zero_strides_and_misaligned_memory) {
  Tensor memory = Random(4).normal({8, 6});
  const ConstView reversed(&memory(7, 0), {8, 6}, {-6, 1});
  const ConstView mirrored(&memory(0, 5), {8, 6}, {6, -1});
  const ConstView repeated(memory.data(), {8, 6}, {0, 1});
  for (const ConstView& q : {reversed, mirrored, repeated}) {
    for (const ConstView& k : {reversed, mirrored, repeated}) {
      for (const ConstView& v : {reversed, mirrored, repeated}) {
        for (const ConstView& dout : {reversed, mirrored, repeated}) expect_backward(q, k, v, dout);
      }
    }
  }
  Tensor line = Random(8).normal({1000});
  for (Index offset = 0; offset < 9; ++offset) {
    const ConstView q(line.data() + offset, {11, 9}), k(line.data() + 2 * offset + 1, {13, 9});
    expect_backward(q, k, ConstView(line.data() + 300 + offset, {13, 5}),
                    ConstView(line.data() + 500 + offset, {11, 5}), {.mask = Mask::causal()});
  }
}

TEST(AttentionBackward, random_cases) {
  Random random(2024);
  for (int round = 0; round < 40; ++round) {
    Case c;
    c.key_heads = 1 + random.below(3);
    c.heads = c.key_heads * (1 + random.below(3));
    c.n = random.below(110), c.m = random.below(80), c.d = 1 + random.below(40),
    c.dv = 1 + random.below(40);
    c.transposed_strides = random.below(2) == 1;
    const auto& masks = mask_features();
    const auto& mask = masks[static_cast<std::size_t>(random.below(static_cast<Index>(masks.size())))];
    if (c.m > 1) mask.apply(c);
    if (random.below(2) == 1) alibi(c);
    if (random.below(3) == 1) c.options.softcap = 3;
    if (random.below(3) == 1) c.options.dropout = 0.25f;
    SCOPED_TRACE("round " + std::to_string(round) + " " + mask.name);
    run(c);
  }
}

}  // namespace
}  // namespace fovea
