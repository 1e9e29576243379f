#include "fovea/multi_head_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "fovea/threads.h"
#include "reference/attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::on_every_instruction_set;

// The module from its formula: for each head, slices of the projections, attention in double, concat, W_O.
DoubleArray by_formula(const MultiHeadAttention& module, ConstView query, ConstView key, ConstView value,
                       const AttentionOptions& options) {
  const MultiHeadConfig& c = module.config();
  const auto& p = module.parameters();
  const Index batch = query.shape()[0];
  const auto projected = [&](ConstView x, Index first_row, Index heads, Index width) {
    DoubleArray out({batch, heads, x.shape()[1], width});
    std::size_t at = 0;
    for (Index b = 0; b < batch; ++b) {
      for (Index h = 0; h < heads; ++h) {
        for (Index i = 0; i < x.shape()[1]; ++i) {
          for (Index w = 0; w < width; ++w, ++at) {
            const Index row = first_row + h * width + w;
            double sum = c.bias ? static_cast<double>(p.in_proj_bias(row)) : 0;
            for (Index e = 0; e < c.d_model; ++e) {
              sum += static_cast<double>(x(b, i, e)) * static_cast<double>(p.in_proj_weight(row, e));
            }
            out.values[at] = sum;
          }
        }
      }
    }
    return out;
  };
  const Index q_rows = c.heads * c.d_k, k_rows = c.kv_heads * c.d_k;
  const auto heads =
      reference::attention(projected(query, 0, c.heads, c.d_k), projected(key, q_rows, c.kv_heads, c.d_k),
                           projected(value, q_rows + k_rows, c.kv_heads, c.d_v), options);
  const Index n = query.shape()[1];
  DoubleArray out({batch, n, c.d_model});
  for (Index b = 0; b < batch; ++b) {
    for (Index i = 0; i < n; ++i) {
      for (Index e = 0; e < c.d_model; ++e) {
        double sum = c.bias ? static_cast<double>(p.out_proj_bias(e)) : 0;
        for (Index f = 0; f < c.heads * c.d_v; ++f) {
          const Index h = f / c.d_v, w = f % c.d_v;
          sum +=
              heads.output.row((b * c.heads + h) * n + i)[w] * static_cast<double>(p.out_proj_weight(e, f));
        }
        out.row(b * n + i)[e] = sum;
      }
    }
  }
  return out;
}

// With random biases: zero ones would hide a mistake.
MultiHeadAttention module_with_biases(const MultiHeadConfig& config, std::uint64_t seed) {
  Random random(seed);
  MultiHeadAttention module(config, random);
  MultiHeadAttention::Parameters p = module.parameters();
  if (config.bias) {
    p.in_proj_bias = random.normal(p.in_proj_bias.shape());
    p.out_proj_bias = random.normal(p.out_proj_bias.shape());
  }
  module.set_parameters(std::move(p));
  return module;
}

void expect_formula(const MultiHeadConfig& config, Index n, Index m, const AttentionOptions& options = {}) {
  const MultiHeadAttention module = module_with_biases(config, 1);
  Random random(2);
  const Tensor query = random.normal({2, n, config.d_model}), key = random.normal({2, m, config.d_model});
  const Tensor value = random.normal({2, m, config.d_model});
  const Tensor got = module(query, key, value, options).output;
  const DoubleArray want = by_formula(module, query, key, value, options);
  ASSERT_EQ(got.shape(), want.shape);
  for (Index i = 0; i < got.shape().elements(); ++i) {
    ASSERT_NEAR(static_cast<double>(got.data()[i]), want.values[static_cast<std::size_t>(i)], 1e-5)
        << "at " << i;
  }
}

TEST(MultiHeadAttention, matches_the_formula) {
  on_every_instruction_set([] {
    expect_formula({.d_model = 12, .heads = 3}, 5, 7);
    expect_formula({.d_model = 12, .heads = 3, .bias = false}, 5, 7);
    expect_formula({.d_model = 12, .heads = 4, .kv_heads = 2}, 6, 6, {.mask = Mask::causal()});
    expect_formula({.d_model = 12, .heads = 4, .kv_heads = 1, .d_k = 5, .d_v = 7}, 6, 9);
    expect_formula({.d_model = 10, .heads = 3, .d_k = 2}, 4, 4, {.mask = Mask::lengths({2, 4})});
    expect_formula({.d_model = 64, .heads = 8}, 130, 70, {.bias = Bias::alibi(alibi_slopes(8))});
  });
}

TEST(MultiHeadAttention, widths_of_the_heads) {
  EXPECT_EQ(MultiHeadAttention({.d_model = 128, .heads = 8}, Random(1)).config().d_k, 16);
  EXPECT_EQ(MultiHeadAttention({.d_model = 512, .heads = 8}, Random(1)).config().d_k, 64);
  try {
    MultiHeadAttention({.d_model = 10, .heads = 3}, Random(1));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[multi-head] d_model 10 is not divisible by 3 heads");
  }
  EXPECT_THROW(MultiHeadAttention({.d_model = 12, .heads = 4, .kv_heads = 3}, Random(1)), Error);
  EXPECT_THROW(MultiHeadAttention({.d_model = 0, .heads = 1}, Random(1)), Error);
  const Index huge = Index{1} << 40;
  EXPECT_THROW(MultiHeadAttention({.d_model = 8, .heads = huge, .d_k = huge}, Random(1)), Error);
}

TEST(MultiHeadAttention, cross_attention_shapes) {
  Random random(3);
  const MultiHeadAttention cross({.d_model = 256, .heads = 4}, random);
  const AttentionResult r = cross(random.normal({2, 10, 256}), random.normal({2, 20, 256}),
                                  {.mask = Mask::lengths({20, 13}), .weights = true});
  EXPECT_EQ(r.output.shape(), (Shape{2, 10, 256}));
  EXPECT_EQ(r.weights.shape(), (Shape{2, 4, 10, 20}));
  for (Index h = 0; h < 4; ++h) {
    for (Index j = 13; j < 20; ++j) EXPECT_EQ(r.weights(1, h, 9, j), 0.0f);
    EXPECT_GT(r.weights(0, h, 9, 19), 0.0f);
  }
}

TEST(MultiHeadAttention, one_sequence_without_batch_axis) {
  Random random(4);
  const MultiHeadAttention module({.d_model = 8, .heads = 2}, random);
  const Tensor x = random.normal({5, 8});
  const AttentionResult one = module(x, {.weights = true}),
                        batch = module(x.view().insert_axis(0), {.weights = true});
  EXPECT_EQ(one.output.shape(), (Shape{5, 8}));
  EXPECT_EQ(one.weights.shape(), (Shape{2, 5, 5}));
  EXPECT_EQ(std::memcmp(one.output.data(), batch.output.data(), sizeof(float) * 40), 0);
}

TEST(MultiHeadAttention, dropout_acts_in_training_only) {
  Random random(5);
  MultiHeadAttention module({.d_model = 16, .heads = 2}, random);
  const Tensor x = random.normal({1, 30, 16});
  const auto zeros = [&](const AttentionOptions& options) {
    const Tensor w = module(x, options).weights;
    return std::count(w.data(), w.data() + w.shape().elements(), 0.0f);
  };
  EXPECT_EQ(zeros({.weights = true}), 0);
  EXPECT_EQ(zeros({.dropout = 0.5f, .weights = true}), 0) << "inference never drops";
  module.train(true);
  // 1,800 weights, 10 % of them: 180 ± 4 · 12.7.
  EXPECT_NEAR(static_cast<double>(zeros({.seed = 1, .weights = true})), 180, 51);
  EXPECT_NEAR(static_cast<double>(zeros({.dropout = 0.5f, .seed = 1, .weights = true})), 900, 85);
  const Tensor a = module(x, {.seed = 1}).output, b = module(x, {.seed = 1}).output,
               c = module(x, {.seed = 2}).output;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(float) * 480), 0);
  EXPECT_NE(std::memcmp(a.data(), c.data(), sizeof(float) * 480), 0);
}

TEST(MultiHeadAttention, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  Random random(6);
  const MultiHeadAttention module({.d_model = 96, .heads = 4}, random);
  for (const Index n : {1, 3, 100}) {
    const Tensor x = random.normal({2, n, 96});
    set_thread_count(1);
    const Tensor one = module(x).output;
    for (const int threads : {2, 4}) {
      set_thread_count(threads);
      const Tensor many = module(x).output;
      EXPECT_EQ(std::memcmp(one.data(), many.data(), sizeof(float) * static_cast<std::size_t>(2 * n * 96)),
                0)
          << n;
    }
  }
  set_thread_count(before);
}

TEST(MultiHeadAttention, inputs_of_the_wrong_shape) {
  const MultiHeadAttention module({.d_model = 8, .heads = 2}, Random(1));
  EXPECT_THROW(module(Tensor({2, 5, 9})), Error);
  EXPECT_THROW(module(Tensor({8})), Error);
  EXPECT_THROW(module(Tensor({2, 5, 8}), Tensor({3, 5, 8})), Error);
  EXPECT_THROW(module(Tensor({2, 5, 8}), Tensor({2, 5, 8}), Tensor({2, 6, 8})), Error);
}

}  // namespace
}  // namespace fovea
