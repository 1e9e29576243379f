// attention against the double reference: every pair of options, every remainder, every regime of values.
#include "fovea/attention.h"

#include <gtest/gtest.h>

#include <functional>

#include "fovea/random.h"
#include "support/attention_case.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::expect_attention;
using testing::half_padding;
using testing::Input;
using testing::mask_features;
using testing::on_every_instruction_set;
using testing::OneThread;

using Case = testing::AttentionCase;
using Feature = testing::Feature<Case>;

Tensor table(Index rows, Index columns, std::uint64_t seed) { return Random(seed).normal({rows, columns}); }

const std::vector<Feature>& other_features() {
  static const std::vector<Feature> features = {
      {"relative bias", [](Case& c) { c.options.bias = Bias::relative(table(9, c.heads, 7)); }},
      {"t5 bias", [](Case& c) { c.options.bias = Bias::t5(table(8, c.heads, 8), 8, 16, true); }},
      {"alibi", [](Case& c) { c.options.bias = Bias::alibi(alibi_slopes(c.heads)); }},
      {"dense bias",
       [](Case& c) {
         c.options.bias = Bias::dense(Random(9).normal({c.heads, c.n, c.m}).view().insert_axis(0));
       }},
      {"scale", [](Case& c) { c.options.scale = 0.7f; }},
      {"softcap", [](Case& c) { c.options.softcap = 1.5f; }},
      {"dropout", [](Case& c) { c.options.dropout = 0.3f, c.options.seed = 11; }},
      {"grouped heads", [](Case& c) { c.key_heads = 2; }},
      {"one key head", [](Case& c) { c.key_heads = 1; }},
      {"more queries than keys", [](Case& c) { std::swap(c.n, c.m); }},
      {"many keys", [](Case& c) { c.m = 150; }},
      {"many queries", [](Case& c) { c.n = 110; }},
      {"strided", [](Case& c) { c.transposed_strides = true; }},
      {"peaked", [](Case& c) { c.magnitude = 8; }},
  };
  return features;
}

void run(const Case& c) {
  const Input q = queries_of(c), k = keys_of(c), v = values_of(c);
  expect_attention(q.view, k.view, v.view, c.options);
}

// Sizes first, then what depends on them.
void run_pair(const Feature& size_or_option, const Feature& other) {
  SCOPED_TRACE(std::string(size_or_option.name) + " with " + other.name);
  for (const Index n : {13, 29}) {  // few enough rows for decoding, and strips
    Case c;
    c.n = n;
    size_or_option.apply(c);
    other.apply(c);
    run(c);
  }
}

TEST(Attention, every_mask_with_every_option) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    for (const Feature& mask : mask_features()) {
      for (const Feature& other : other_features()) run_pair(other, mask);
    }
  });
}

TEST(Attention, every_pair_of_masks) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    for (const Feature& a : mask_features()) {
      for (const Feature& b : mask_features()) run_pair(a, b);
    }
  });
}

TEST(Attention, every_pair_of_options) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    for (const Feature& a : other_features()) {
      for (const Feature& b : other_features()) {
        const std::string name = a.name, later = b.name;
        // A bias made for other sizes does not fit: sizes and heads come first.
        if (name.find("bias") != std::string::npos && (later.find("more") == 0 || later.find("many") == 0))
          continue;
        run_pair(a, b);
      }
    }
  });
}

// Two vectors of queries and beyond, on any instruction set; keys around the tile of four; widths of every
// remainder.
TEST(Attention, every_remainder) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    Case c;
    c.batch = c.heads = c.key_heads = 1;
    for (c.n = 0; c.n <= 34; ++c.n) {
      for (const Index m : {0, 1, 2, 3, 4, 5, 6, 7, 9}) {
        c.m = m;
        SCOPED_TRACE("n " + std::to_string(c.n) + " m " + std::to_string(m));
        run(c);
      }
    }
    c.n = 3, c.m = 5;
    for (c.d = 1; c.d <= 18; ++c.d) {
      for (c.dv = 1; c.dv <= 18; ++c.dv) {
        SCOPED_TRACE("d " + std::to_string(c.d) + " dv " + std::to_string(c.dv));
        run(c);
      }
    }
  });
}

TEST(Attention, around_the_key_block) {
  on_every_instruction_set([] {
    for (const Index m : {126, 127, 128, 129, 130, 255, 256, 257}) {
      SCOPED_TRACE("m " + std::to_string(m));
      Case c;
      c.batch = 1, c.heads = c.key_heads = 1, c.n = 49, c.m = m, c.d = 8, c.dv = 4;
      run(c);
      c.options.mask = Mask::causal();
      run(c);
      c.options.mask = Mask::sliding_window(20, 0);
      run(c);
    }
  });
}

TEST(Attention, peaked_flat_tied_huge_and_tiny) {
  on_every_instruction_set([] {
    for (const float magnitude : {1e-30f, 1e-6f, 1e-2f, 1.0f, 8.0f, 100.0f, 1e4f}) {
      SCOPED_TRACE("magnitude " + std::to_string(magnitude));
      Case c;
      c.magnitude = magnitude;
      run(c);
      c.options.mask = Mask::causal() & half_padding(c);
      run(c);
    }
    // Ties: all keys alike, so every visible key gets the same weight.
    const Tensor q = Random(1).normal({7, 5}), k = Tensor::filled({9, 5}, 0.5f),
                 v = Random(2).normal({9, 3});
    expect_attention(q, k, v);
    const AttentionResult tied = attention(q, k, v, {.weights = true});
    for (Index j = 0; j < 9; ++j) EXPECT_NEAR(tied.weights(3, j), 1.0f / 9, 1e-7);
  });
}

TEST(Attention, every_rank) {
  on_every_instruction_set([] {
    Random random(3);
    expect_attention(random.normal({5, 4}), random.normal({6, 4}), random.normal({6, 3}));
    expect_attention(random.normal({2, 5, 4}), random.normal({2, 6, 4}), random.normal({2, 6, 3}),
                     {.mask = Mask::padding(Ids{{1, 2, 3, 0, 0, 0}, {4, 5, 6, 7, 0, 0}}, 0)});
    expect_attention(random.normal({3, 2, 4, 5, 4}), random.normal({3, 2, 2, 6, 4}),
                     random.normal({3, 2, 2, 6, 3}), {.mask = Mask::lengths({2, 5})});
    expect_attention(random.normal({3, 2, 4, 5, 4}), random.normal({3, 2, 2, 6, 4}),
                     random.normal({3, 2, 2, 6, 3}), {.mask = Mask::lengths({2, 5, 1, 6, 0, 3})});
    const Mask mask = Mask::additive(random.normal({3, 2, 4, 5, 6}));
    const Bias bias = Bias::dense(random.normal({3, 2, 1, 5, 6}));
    expect_attention(random.normal({3, 2, 4, 5, 4}), random.normal({3, 2, 2, 6, 4}),
                     random.normal({3, 2, 2, 6, 3}), {.mask = mask, .bias = bias});
  });
}

TEST(Attention, negative_and_zero_strides) {
  on_every_instruction_set([] {
    Tensor memory = Random(4).normal({8, 6});
    // Rows in reverse order, columns in reverse order, one row repeated.
    const ConstView reversed(&memory(7, 0), {8, 6}, {-6, 1});
    const ConstView mirrored(&memory(0, 5), {8, 6}, {6, -1});
    const ConstView repeated(memory.data(), {8, 6}, {0, 1});
    for (const ConstView& q : {reversed, mirrored, repeated}) {
      for (const ConstView& k : {reversed, mirrored, repeated}) {
        for (const ConstView& v : {reversed, mirrored, repeated}) expect_attention(q, k, v);
      }
    }
  });
}

TEST(Attention, misaligned_memory) {
  on_every_instruction_set([] {
    Tensor memory = Random(8).normal({1000});
    for (Index offset = 0; offset < 9; ++offset) {
      const ConstView q(memory.data() + offset, {11, 9}), k(memory.data() + 2 * offset + 1, {13, 9});
      expect_attention(q, k, ConstView(memory.data() + 300 + offset, {13, 5}), {.mask = Mask::causal()});
    }
  });
}

TEST(Attention, random_cases) {
  on_every_instruction_set([] {
    Random random(2024);
    for (int round = 0; round < 60; ++round) {
      Case c;
      c.batch = 2;
      c.key_heads = 1 + random.below(3);
      c.heads = c.key_heads * (1 + random.below(3));
      c.n = random.below(60), c.m = random.below(180), c.d = 1 + random.below(40),
      c.dv = 1 + random.below(40);
      c.transposed_strides = random.below(2) == 1;
      const auto& masks = mask_features();
      const auto& mask = masks[static_cast<std::size_t>(random.below(static_cast<Index>(masks.size())))];
      if (c.m > 1) mask.apply(c);
      if (random.below(2) == 1) c.options.bias = Bias::alibi(alibi_slopes(c.heads));
      if (random.below(3) == 1) c.options.softcap = 3;
      SCOPED_TRACE("round " + std::to_string(round) + " " + mask.name);
      run(c);
    }
  });
}

}  // namespace
}  // namespace fovea
