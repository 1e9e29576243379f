#include "fovea/multi_head_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "fovea/threads.h"
#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::drawn;
using testing::expect_close;
using testing::numeric_gradient;
using testing::weighted;

// Odd sizes, weights that make attention peaked, biases that are not zero.
struct MultiHeadCase {
  MultiHeadConfig config = {.d_model = 10, .heads = 2, .kv_heads = 0, .d_k = 3, .d_v = 5};
  Index batch = 2, n = 5, m = 7;
  AttentionOptions options = {};
};

DoubleArray or_empty(const Tensor& tensor) { return tensor.empty() ? DoubleArray() : DoubleArray(tensor); }

MultiHeadAttention wide_module(const MultiHeadConfig& config, Random& random) {
  MultiHeadAttention module(config, random);
  MultiHeadAttention::Parameters p = module.parameters();
  for (Tensor* tensor : {&p.in_proj_weight, &p.in_proj_bias, &p.out_proj_weight, &p.out_proj_bias}) {
    if (!tensor->empty()) *tensor = drawn(random, tensor->shape(), 0.7f);
  }
  module.set_parameters(std::move(p));
  return module;
}

reference::MultiHeadProblem problem_of(const MultiHeadAttention& module, const AttentionOptions& options,
                                       const Tensor& query, const Tensor& key, const Tensor& value) {
  const MultiHeadAttention::Parameters& p = module.parameters();
  const MultiHeadConfig& c = module.config();
  return {query,
          key,
          value,
          p.in_proj_weight,
          or_empty(p.in_proj_bias),
          p.out_proj_weight,
          or_empty(p.out_proj_bias),
          c.heads,
          c.kv_heads,
          c.d_k,
          c.d_v,
          options};
}

// Every gradient of a call with a query and a memory.
void expect_gradients(const MultiHeadCase& c) {
  Random random(21);
  const MultiHeadAttention module = wide_module(c.config, random);
  const Tensor query = drawn(random, {c.batch, c.n, c.config.d_model}),
               memory = drawn(random, {c.batch, c.m, c.config.d_model});
  const Tensor doutput = drawn(random, {c.batch, c.n, c.config.d_model});
  const MultiHeadPass pass(module, query, memory, c.options);
  const Tensor same = module(query, memory, c.options).output;
  for (Index i = 0; i < same.shape().elements(); ++i) {
    ASSERT_NEAR(pass.output().data()[i], same.data()[i], 1e-5f);
  }
  const MultiHeadGradients got = pass.backward(doutput);

  const auto gradient_by = [&](auto member) {
    const reference::MultiHeadProblem plain = problem_of(module, c.options, query, memory, memory);
    return numeric_gradient(plain.*member, [&](const DoubleArray& at) {
      reference::MultiHeadProblem problem = plain;
      problem.*member = at;
      return weighted(reference::multi_head(problem), doutput);
    });
  };
  using P = reference::MultiHeadProblem;
  expect_close("dquery", got.dquery, gradient_by(&P::query));
  DoubleArray dmemory = gradient_by(&P::key);
  const DoubleArray dvalue = gradient_by(&P::value);
  for (std::size_t i = 0; i < dmemory.values.size(); ++i) dmemory.values[i] += dvalue.values[i];
  expect_close("dmemory", got.dkey, dmemory);
  EXPECT_TRUE(got.dvalue.empty());
  expect_close("din_proj_weight", got.dparameters.in_proj_weight, gradient_by(&P::in_w));
  expect_close("dout_proj_weight", got.dparameters.out_proj_weight, gradient_by(&P::out_w));
  EXPECT_EQ(got.dparameters.in_proj_bias.empty(), !c.config.bias);
  if (!c.config.bias) return;
  expect_close("din_proj_bias", got.dparameters.in_proj_bias, gradient_by(&P::in_b));
  expect_close("dout_proj_bias", got.dparameters.out_proj_bias, gradient_by(&P::out_b));
}

TEST(MultiHeadGradients, of_a_query_and_a_memory) { expect_gradients({}); }

TEST(MultiHeadGradients, without_biases) {
  MultiHeadCase c;
  c.config.bias = false;
  expect_gradients(c);
}

TEST(MultiHeadGradients, of_grouped_heads_under_a_mask) {
  MultiHeadCase c;
  c.config.heads = 4;
  c.config.kv_heads = 2;
  c.options.mask = Mask::causal() & Mask::lengths({7, 4});
  c.options.scale = 0.9f;
  expect_gradients(c);
}

// A table whose entries, and those a step away, are exact in float32.
Tensor round_table(Random& random, const Shape& shape) {
  Tensor table = drawn(random, shape);
  for (Index i = 0; i < shape.elements(); ++i) {
    table.data()[i] = std::round(table.data()[i] * 1024) / 1024;
  }
  return table;
}

// By the data of a bias, whichever kind makes it.
void expect_bias_gradient(const Tensor& table, const std::function<Bias(ConstView)>& make) {
  Random random(22);
  MultiHeadCase c;
  const MultiHeadAttention module = wide_module(c.config, random);
  const Tensor query = drawn(random, {c.batch, c.n, c.config.d_model}),
               memory = drawn(random, {c.batch, c.m, c.config.d_model}),
               doutput = drawn(random, {c.batch, c.n, c.config.d_model});
  c.options.bias = make(table);
  expect_gradients(c);
  const MultiHeadGradients got = MultiHeadPass(module, query, memory, c.options).backward(doutput);
  const DoubleArray want = numeric_gradient(table, [&](const DoubleArray& at) {
    Tensor moved(table.shape());
    std::transform(at.values.begin(), at.values.end(), moved.data(),
                   [](double x) { return static_cast<float>(x); });
    AttentionOptions options = c.options;
    options.bias = make(moved);
    return weighted(reference::multi_head(problem_of(module, options, query, memory, memory)), doutput);
  });
  expect_close("dbias", got.dbias, want);
}

TEST(MultiHeadGradients, of_a_table_of_relative_positions) {
  Random random(23);
  expect_bias_gradient(round_table(random, {7, 2}), [](ConstView table) { return Bias::relative(table); });
}

TEST(MultiHeadGradients, of_the_buckets_of_t5) {
  Random random(24);
  expect_bias_gradient(round_table(random, {8, 2}),
                       [](ConstView table) { return Bias::t5(table, 8, 12, true); });
}

TEST(MultiHeadGradients, of_self_attention_add_up) {
  Random random(25);
  const MultiHeadAttention module = wide_module({.d_model = 8, .heads = 2}, random);
  const Tensor x = drawn(random, {2, 6, 8}), doutput = drawn(random, {2, 6, 8});
  const AttentionOptions options = {.mask = Mask::causal()};
  const MultiHeadGradients got = MultiHeadPass(module, x, options).backward(doutput);
  EXPECT_TRUE(got.dkey.empty());
  const DoubleArray want = numeric_gradient(x, [&](const DoubleArray& at) {
    reference::MultiHeadProblem problem = problem_of(module, options, x, x, x);
    problem.query = problem.key = problem.value = at;
    return weighted(reference::multi_head(problem), doutput);
  });
  expect_close("dx", got.dquery, want);
}

TEST(MultiHeadGradients, of_three_inputs_and_of_one_sequence_alone) {
  Random random(26);
  const MultiHeadAttention module = wide_module({.d_model = 6, .heads = 3}, random);
  const Tensor query = drawn(random, {4, 6}), key = drawn(random, {5, 6}), value = drawn(random, {5, 6}),
               doutput = drawn(random, {4, 6});
  const MultiHeadGradients alone = MultiHeadPass(module, query, key, value).backward(doutput);
  EXPECT_EQ(alone.dvalue.shape(), Shape({5, 6}));
  const DoubleArray want = numeric_gradient(value, [&](const DoubleArray& at) {
    reference::MultiHeadProblem problem = problem_of(module, {}, query.reshaped({1, 4, 6}),
                                                     key.reshaped({1, 5, 6}), value.reshaped({1, 5, 6}));
    problem.value = DoubleArray({1, 5, 6}, at.values);
    return weighted(reference::multi_head(problem), doutput);
  });
  expect_close("dvalue", alone.dvalue, want);
}

TEST(MultiHeadGradients, dropout_drops_the_same_weights_backwards) {
  Random random(27);
  MultiHeadAttention module = wide_module({.d_model = 8, .heads = 2, .dropout = 0.4f}, random);
  const Tensor x = drawn(random, {2, 6, 8}), doutput = drawn(random, {2, 6, 8});
  module.train(true);
  AttentionOptions options = {.seed = 5};
  const MultiHeadGradients got = MultiHeadPass(module, x, options).backward(doutput);
  options.dropout = 0.4f;
  const DoubleArray want = numeric_gradient(x, [&](const DoubleArray& at) {
    reference::MultiHeadProblem problem = problem_of(module, options, x, x, x);
    problem.query = problem.key = problem.value = at;
    return weighted(reference::multi_head(problem), doutput);
  });
  expect_close("dx", got.dquery, want);
}

TEST(MultiHeadGradients, bits_do_not_depend_on_the_threads) {
  Random random(28);
  const MultiHeadAttention module({.d_model = 48, .heads = 4}, random);
  const Tensor x = drawn(random, {3, 200, 48}), doutput = drawn(random, {3, 200, 48});
  const int before = thread_count();
  const auto gradients = [&](int threads) {
    set_thread_count(threads);
    return MultiHeadPass(module, x).backward(doutput).dparameters;
  };
  const auto one = gradients(1), three = gradients(3);
  set_thread_count(before);
  for (Index i = 0; i < one.in_proj_weight.shape().elements(); ++i) {
    ASSERT_EQ(one.in_proj_weight.data()[i], three.in_proj_weight.data()[i]);
  }
  for (Index i = 0; i < one.in_proj_bias.shape().elements(); ++i) {
    ASSERT_EQ(one.in_proj_bias.data()[i], three.in_proj_bias.data()[i]);
  }
}

TEST(MultiHeadGradients, wrong_shapes_are_errors) {
  Random random(29);
  const MultiHeadAttention module({.d_model = 6, .heads = 2}, random);
  EXPECT_EQ(testing::message_of([&] {
              MultiHeadPass(module, Tensor({1, 4, 6}), Tensor({1, 4, 5}));
            }),
            "[multi-head] the key is [1, 4, 5], expected [B, N, 6] or [N, 6], as the query [1, 4, 6]");
  const Tensor x({1, 4, 6});
  const MultiHeadPass pass(module, x);
  EXPECT_EQ(testing::message_of([&] {
              pass.backward(Tensor({1, 3, 6}));
            }),
            "[multi-head] doutput is [1, 3, 6], expected that of the output, [1, 4, 6]");
}

}  // namespace
}  // namespace fovea
