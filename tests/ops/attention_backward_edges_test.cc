// Hidden rows, NaN, far-away scores, threads, finite differences, PyTorch's gradients and errors of
// attention_backward.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/expect_backward.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::expect_backward;
using testing::on_every_instruction_set;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

AttentionGradients gradients(ConstView q, ConstView k, ConstView v, ConstView doutput,
                             AttentionOptions options = {}) {
  options.logsumexp = true;
  return attention_backward(q, k, v, attention(q, k, v, options), doutput, options);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.shape().elements())) ==
             0;
}

TEST(AttentionBackwardEdges, fully_masked_row_gives_nothing) {
  on_every_instruction_set([] {
    const Tensor q = Random(1).normal({3, 4}), k = Random(2).normal({5, 4}), v = Random(3).normal({5, 2});
    Flags visible = Flags::filled({3, 5}, 1);
    for (Index j = 0; j < 5; ++j) visible(1, j) = 0;
    Tensor dout = Random(4).normal({3, 2});
    const AttentionOptions options{.mask = Mask::dense(visible)};
    const AttentionGradients one = gradients(q, k, v, dout, options);
    for (Index c = 0; c < 4; ++c) EXPECT_EQ(one.dq(1, c), 0.0f);
    EXPECT_NE(one.dq(0, 0), 0.0f);
    for (const float other : {5.0f, kNaN, kInfinity}) {
      dout(1, 0) = other;
      Tensor changed_q = q;
      changed_q(1, 2) = other;
      const AttentionGradients two = gradients(changed_q, k, v, dout, options);
      for (Index i = 0; i < 5 * 4; ++i) EXPECT_NEAR(one.dk.data()[i], two.dk.data()[i], 1e-6);
      for (Index i = 0; i < 5 * 2; ++i) EXPECT_NEAR(one.dv.data()[i], two.dv.data()[i], 1e-6);
      for (Index c = 0; c < 4; ++c) EXPECT_EQ(two.dq(1, c), 0.0f);
    }
  });
}

TEST(AttentionBackwardEdges, no_keys_no_queries_no_width) {
  on_every_instruction_set([] {
    const AttentionGradients no_keys =
        gradients(Tensor({2, 3, 4}), Tensor({2, 0, 4}), Tensor({2, 0, 5}), Tensor::filled({2, 3, 5}, 1.0f),
                  {.bias = Bias::alibi({0.5f})});
    EXPECT_EQ(no_keys.dk.shape(), (Shape{2, 0, 4}));
    for (Index i = 0; i < 24; ++i) EXPECT_EQ(no_keys.dq.data()[i], 0.0f);
    EXPECT_EQ(no_keys.dbias(0), 0.0f);
    const AttentionGradients no_queries =
        gradients(Tensor({0, 4}), Tensor::filled({3, 4}, 1.0f), Tensor::filled({3, 5}, 1.0f),
                  Tensor({0, 5}), {.bias = Bias::relative(Tensor({3, 1}))});
    EXPECT_EQ(no_queries.dq.shape(), (Shape{0, 4}));
    for (Index i = 0; i < 12; ++i) EXPECT_EQ(no_queries.dk.data()[i], 0.0f);
    for (Index i = 0; i < 15; ++i) EXPECT_EQ(no_queries.dv.data()[i], 0.0f);
    for (Index i = 0; i < 3; ++i) EXPECT_EQ(no_queries.dbias.data()[i], 0.0f);
    EXPECT_EQ(
        gradients(Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4}), Tensor({0, 2, 3, 4}))
            .dq.shape(),
        (Shape{0, 2, 3, 4}));
    EXPECT_EQ(
        gradients(Tensor({1, 0, 3, 4}), Tensor({1, 0, 3, 4}), Tensor({1, 0, 3, 4}), Tensor({1, 0, 3, 4}))
            .dv.shape(),
        (Shape{1, 0, 3, 4}));
    const ConstView none(nullptr, {0, 4});
    EXPECT_EQ(gradients(Tensor({2, 4}), none, none, Tensor({2, 4})).dq(1, 3), 0.0f);
  });
}

TEST(AttentionBackwardEdges, nan_in_hidden_keys_has_no_effect) {
  on_every_instruction_set([] {
    Random random(4);
    const Tensor q = random.normal({60, 8}), k = random.normal({200, 8}), v = random.normal({200, 6});
    const Tensor dout = random.normal({60, 6});
    Flags real = Flags::filled({1, 200}, 1);
    for (Index j = 140; j < 200; j += 2) real(0, j) = 0;  // also within the visible part of a tile
    const AttentionOptions options{.mask = Mask::padding(real), .softcap = 3};
    const AttentionGradients good = gradients(q.view().insert_axis(0), k.view().insert_axis(0),
                                              v.view().insert_axis(0), dout.view().insert_axis(0), options);
    for (const float poison : {kNaN, kInfinity, -kInfinity, 3e38f}) {
      Tensor bad_k = k, bad_v = v;
      for (Index j = 140; j < 200; j += 2) {
        for (Index c = 0; c < 8; ++c) bad_k(j, c) = poison;
        for (Index c = 0; c < 6; ++c) bad_v(j, c) = poison;
      }
      const AttentionGradients bad =
          gradients(q.view().insert_axis(0), bad_k.view().insert_axis(0), bad_v.view().insert_axis(0),
                    dout.view().insert_axis(0), options);
      for (Index i = 0; i < 60 * 8; ++i) ASSERT_NEAR(good.dq.data()[i], bad.dq.data()[i], 1e-5) << i;
      for (Index j = 0; j < 200; ++j) {
        const bool hidden = j >= 140 && j % 2 == 0;
        for (Index c = 0; c < 8; ++c)
          ASSERT_NEAR(bad.dk(0, j, c), hidden ? 0 : good.dk(0, j, c), hidden ? 0 : 1e-5);
        for (Index c = 0; c < 6; ++c)
          ASSERT_NEAR(bad.dv(0, j, c), hidden ? 0 : good.dv(0, j, c), hidden ? 0 : 1e-5);
      }
    }
  });
}

// NaN spreads to what depends on it, and no further: keys that query i does not see stay as they were.
TEST(AttentionBackwardEdges, nan_spreads_as_in_the_reference) {
  Random random(5);
  for (const Index poisoned : {0, 3, 17, 110}) {
    const Tensor q = random.normal({120, 8}), k = random.normal({120, 8}), v = random.normal({120, 5});
    const Tensor dout = random.normal({120, 5});
    Tensor bad_q = q, bad_k = k, bad_v = v, bad_dout = dout;
    bad_q(poisoned, 2) = bad_k(poisoned, 7) = bad_v(poisoned, 1) = bad_dout(poisoned, 3) = kNaN;
    for (const Mask& mask : {Mask::none(), Mask::causal(), Mask::sliding_window(5, 5)}) {
      expect_backward(bad_q, k, v, dout, {.mask = mask});
      expect_backward(q, bad_k, v, dout, {.mask = mask});
      expect_backward(q, k, bad_v, dout, {.mask = mask, .softcap = 2});
      expect_backward(q, k, v, bad_dout, {.mask = mask});
    }
    const AttentionGradients g = gradients(q, k, v, bad_dout, {.mask = Mask::causal()});
    EXPECT_TRUE(std::isnan(g.dq(poisoned, 0)));
    EXPECT_TRUE(std::isnan(g.dv(poisoned, 3)));
    EXPECT_FALSE(std::isnan(g.dv(poisoned, 2)));
    EXPECT_FALSE(std::isnan(g.dk(119, 0)));
  }
}

// Pushed away by −1e9 everywhere, as padding often is: float32 holds such a log-sum-exp to ±32 only.
TEST(AttentionBackwardEdges, rows_of_far_away_scores_keep_their_weights) {
  on_every_instruction_set([] {
    const Tensor q = Random(1).normal({40, 6}), k = Tensor::filled({70, 6}, 0.25f),
                 v = Random(3).normal({70, 4});
    const Tensor dout = Random(4).normal({40, 4});
    for (const float far : {-1e9f, 3e5f, std::numeric_limits<float>::lowest()}) {
      SCOPED_TRACE(far);
      Tensor values({40, 70});
      for (Index j = 0; j < 70; ++j) values(11, j) = far;
      const AttentionGradients g = gradients(q, k, v, dout, {.bias = Bias::dense(values)});
      const AttentionGradients near = gradients(q, k, v, dout, {.bias = Bias::dense(Tensor({40, 70}))});
      for (Index j = 0; j < 70; ++j) {  // all keys alike: weights of 1/70
        for (Index c = 0; c < 4; ++c) ASSERT_NEAR(g.dv(j, c), near.dv(j, c), 1e-5);
        ASSERT_NEAR(g.dbias(11, j), near.dbias(11, j), 1e-6);
      }
    }
  });
}

// Of the loss Σ output · doutput, by the forward pass of the reference: judges the reference itself.
TEST(AttentionBackwardEdges, the_reference_agrees_with_finite_differences) {
  Random random(12);
  const Shape qs{1, 4, 5, 3}, ks{1, 2, 6, 3}, vs{1, 2, 6, 4}, os{1, 4, 5, 4};
  const DoubleArray q = random.normal(qs), k = random.normal(ks), v = random.normal(vs),
                    dout = random.normal(os);
  Tensor bias = random.normal({1, 4, 5, 6});
  const AttentionOptions cases[] = {{},
                                    {.mask = Mask::causal() | Mask::sparse(2), .scale = 0.8f},
                                    {.softcap = 0.7f},
                                    {.dropout = 0.3f, .seed = 5},
                                    {.mask = Mask::additive(random.normal({5, 6})),
                                     .bias = Bias::dense(bias),
                                     .softcap = 1.1f,
                                     .dropout = 0.2f}};
  for (const AttentionOptions& options : cases) {
    const auto loss = [&](const DoubleArray& x, const DoubleArray& y, const DoubleArray& z,
                          const AttentionOptions& o) {
      const DoubleArray output = reference::attention(x, y, z, o).output;
      double sum = 0;
      for (std::size_t i = 0; i < output.values.size(); ++i) sum += output.values[i] * dout.values[i];
      return sum;
    };
    const reference::AttentionGradients g = reference::attention_backward(q, k, v, dout, options);
    const double h = 1e-5;  // errors of order h² and epsilon / h
    const auto slope = [&](const DoubleArray& array, std::size_t i, const auto& with) {
      DoubleArray more = array, less = array;
      more.values[i] += h, less.values[i] -= h;
      return (with(more) - with(less)) / (2 * h);
    };
    for (std::size_t i = 0; i < q.values.size(); ++i) {
      EXPECT_NEAR(g.dq.values[i], slope(q, i, [&](const DoubleArray& x) { return loss(x, k, v, options); }),
                  1e-8);
    }
    for (std::size_t i = 0; i < k.values.size(); ++i) {
      EXPECT_NEAR(g.dk.values[i], slope(k, i, [&](const DoubleArray& x) { return loss(q, x, v, options); }),
                  1e-8);
    }
    for (std::size_t i = 0; i < v.values.size(); ++i) {
      EXPECT_NEAR(g.dv.values[i], slope(v, i, [&](const DoubleArray& x) { return loss(q, k, x, options); }),
                  1e-8);
    }
    for (Index i = 0; i < bias.shape().elements(); ++i) {  // float32 values: a step that they hold exactly
      const auto with = [&](float step) {
        Tensor values = options.bias.is_none() ? Tensor(bias.shape()) : bias;
        // The rounded sum differs from the step by 2⁻²⁴ at most.
        values.data()[i] += step;
        AttentionOptions changed = options;
        changed.bias = Bias::dense(values);
        return loss(q, k, v, changed);
      };
      const float step = 1.0f / 1024;
      EXPECT_NEAR(g.dscores.values[static_cast<std::size_t>(i)], (with(step) - with(-step)) / (2.0 / 1024),
                  2e-4);
    }
  }
}

TEST(AttentionBackwardEdges, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  on_every_instruction_set([] {
    Random random(6);
    const Tensor q = random.normal({1, 4, 110, 12}), k = random.normal({1, 2, 1100, 12}),
                 v = random.normal({1, 2, 1100, 9}), dout = random.normal({1, 4, 110, 9});
    const Bias biases[] = {{},
                           Bias::relative(random.normal({61, 4})),
                           Bias::dense(random.normal({110, 1100})),
                           Bias::dense(random.normal({1, 4, 110, 1}))};
    for (const Bias& bias : biases) {
      const AttentionOptions options{
          .mask = Mask::causal() | Mask::sparse(7), .bias = bias, .dropout = 0.1f, .seed = 3};
      set_thread_count(1);
      const AttentionGradients one = gradients(q, k, v, dout, options);
      for (const int threads : {2, 3, 8}) {
        set_thread_count(threads);
        const AttentionGradients many = gradients(q, k, v, dout, options);
        EXPECT_TRUE(same_bits(one.dq, many.dq)) << threads;
        EXPECT_TRUE(same_bits(one.dk, many.dk)) << threads;
        EXPECT_TRUE(same_bits(one.dv, many.dv)) << threads;
        if (!bias.is_none()) {
          EXPECT_TRUE(same_bits(one.dbias, many.dbias)) << threads;
        }
      }
    }
  });
  set_thread_count(before);
}

// Written by make_backward_golden.py: lines "case", then name, count and values of each array.
TEST(AttentionBackwardEdges, gradients_are_those_of_pytorch) {
  std::ifstream file(FOVEA_TEST_DATA "/backward_golden.txt");
  std::string word;
  int cases = 0;
  while (file >> word) {
    ASSERT_EQ(word, "case");
    std::string name;
    file >> name;
    SCOPED_TRACE(name);
    std::map<std::string, Tensor> arrays;
    for (int i = 0; i < 9; ++i) {
      int rank = 0;
      file >> word >> rank;
      std::vector<Index> extents(static_cast<std::size_t>(rank));
      for (Index& extent : extents) file >> extent;
      Tensor tensor{Shape(extents)};
      for (Index at = 0; at < tensor.shape().elements(); ++at) file >> tensor.data()[at];
      arrays[word] = std::move(tensor);
    }
    ASSERT_TRUE(file) << "the file ends too early";
    AttentionOptions options;
    if (name == "causal") options.mask = Mask::causal();
    if (name == "softcap") options.softcap = 1.5f;
    if (name == "relative") options.bias = Bias::relative(arrays["bias"]);
    if (name == "dense") options.bias = Bias::dense(arrays["bias"]);
    on_every_instruction_set([&] {
      const AttentionGradients g =
          gradients(arrays["q"], arrays["k"], arrays["v"], arrays["doutput"], options);
      const std::pair<const char*, const Tensor*> pairs[] = {
          {"dq", &g.dq}, {"dk", &g.dk}, {"dv", &g.dv}, {"dbias", &g.dbias}};
      for (const auto& [key, got] : pairs) {
        if (got->empty()) continue;
        const Tensor& want = arrays[key];
        ASSERT_EQ(got->shape(), want.shape()) << key;
        // Inputs of N(0, 1), sums of at most 20 terms around 1: some 20 roundings.
        for (Index i = 0; i < want.shape().elements(); ++i)
          ASSERT_NEAR(got->data()[i], want.data()[i], 3e-6) << key;
      }
    });
    ++cases;
  }
  EXPECT_EQ(cases, 5);
}

TEST(AttentionBackwardEdges, errors_say_what_was_got_and_expected) {
  const Tensor x = Random(1).normal({2, 3, 4}), k = Random(2).normal({2, 5, 4});
  const AttentionResult forward = attention(x, k, k, {.logsumexp = true});
  const auto message = [&](const std::function<void()>& call) { return testing::message_of(call); };
  EXPECT_EQ(message([&] { attention_backward(x, k, k, attention(x, k, k), x); }),
            "[attention_backward] the forward result has no log-sum-exp: request it from attention() "
            "with {.logsumexp = true}");
  EXPECT_EQ(message([&] { attention_backward(x, k, k, forward, k); }),
            "[attention_backward] doutput has shape [2, 5, 4], expected that of the output, [2, 3, 4]");
  EXPECT_EQ(message([&] { attention_backward(k, k, k, forward, k); }),
            "[attention_backward] the forward output has shape [2, 3, 4], expected [2, 5, 4]");
  AttentionResult wrong = forward;
  wrong.logsumexp = Tensor({3, 2});
  EXPECT_EQ(message([&] { attention_backward(x, k, k, wrong, x); }),
            "[attention_backward] the log-sum-exp has shape [3, 2], expected [2, 3]");
  EXPECT_EQ(message([&] {
              attention_backward(x, Tensor({2, 5, 3}), k, forward, x);
            }).substr(0, 53),
            "[attention_backward] keys have width 3, queries 4: qu");
  EXPECT_NE(message([&] {
              attention_backward(x, k, k, forward, x, {.dropout = 1});
            }).find("[attention_backward] dropout"),
            std::string::npos);
  EXPECT_NE(message([&] {
              attention_backward(x, k, k, forward, x, {.mask = Mask::lengths({1, 2, 3})});
            }).find("[mask]"),
            std::string::npos);
}

// Others may be waiting for the range of keys that failed.
TEST(AttentionBackwardEdges, exception_of_a_predicate_reaches_the_caller) {
  const int before = thread_count();
  const Tensor x = Random(1).normal({2000, 4});
  const AttentionResult forward = attention(x, x, x, {.logsumexp = true});
  for (const int threads : {1, 2, 8}) {
    set_thread_count(threads);
    std::atomic<int> asked{0};
    const Mask mask = Mask::predicate([&asked](Index, Index, Index i, Index j) -> bool {
      if (i == 150 && j == 0 && ++asked == 2) throw Error("from the predicate");
      return j < 5;
    });
    EXPECT_THROW(attention_backward(x, x, x, forward, x, {.mask = mask}), Error);
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace fovea
