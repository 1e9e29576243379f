#include "fovea/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>
#include <utility>

#include "fovea/random.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using Rows = std::vector<std::vector<double>>;

// Â of layer l of weights [L, H, N, N], by its definition.
Rows plain_residual(const Tensor& w, Index l) {
  const Index heads = w.shape()[1], n = w.shape()[2];
  Rows a(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      for (Index h = 0; h < heads; ++h)
        a[i][j] += static_cast<double>(w(l, h, static_cast<Index>(i), static_cast<Index>(j))) /
                   static_cast<double>(heads);
      if (i == j) a[i][j] += 1;
      sum += a[i][j];
    }
    for (double& x : a[i]) x /= sum;
  }
  return a;
}

Rows plain_rollout(const Tensor& w) {
  Rows r;
  for (Index l = 0; l < w.shape()[0]; ++l) {
    const Rows a = plain_residual(w, l);
    Rows next = a;
    for (std::size_t i = 0; l > 0 && i < a.size(); ++i) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        next[i][j] = 0;
        for (std::size_t k = 0; k < a.size(); ++k) next[i][j] += a[i][k] * r[k][j];
      }
    }
    r = next;
  }
  return r;
}

// Two layers of three heads; causal, some rows of some heads see nothing.
struct SampleRun {
  explicit SampleRun(Index n, const Mask& mask = Mask::causal()) {
    Random random(7);
    weights = Tensor({2, 3, n, n});
    for (Index l = 0; l < 2; ++l) {
      q.push_back(random.normal({1, 3, n, 8}));
      k.push_back(random.normal({1, 3, n, 8}));
      const Tensor one = attention(q.back(), k.back(), k.back(), {.mask = mask, .weights = true}).weights;
      std::copy_n(one.data(), one.shape().elements(), weights.data() + l * one.shape().elements());
    }
    Capture capture;
    for (std::size_t l = 0; l < 2; ++l) {
      capture.attention({AttentionKind::encoder, static_cast<Index>(l), q[l], k[l], k[l], {.mask = mask}});
    }
    layers = fovea::Run(std::move(capture));
  }
  std::vector<Tensor> q, k;
  Tensor weights;
  fovea::Run layers;
};

// Weights [L, H, N, N] of one sequence.
fovea::Run stored(const Tensor& weights) {
  const Shape s = weights.shape();
  return fovea::Run::from_weights(weights.reshaped({s[0], 1, s[1], s[2], s[3]}));
}
fovea::Run run_of(const Tensor& q, const Tensor& k) { return fovea::Run::from_query_key(q, k); }

Mask with_hidden_rows(Index n) {
  Flags flags = Flags::filled({1, 3, n, n}, 1);
  for (Index j = 0; j < n; ++j)
    flags(0, 1, 2, j) = flags(0, 0, 4, j) = flags(0, 1, 4, j) = flags(0, 2, 4, j) = 0;
  return Mask::dense(flags);
}

TEST(Rollout, agrees_with_the_definition) {
  for (const Mask& mask : {Mask(), Mask::causal(), with_hidden_rows(9)}) {
    const SampleRun run(9, mask);
    const Rows expected = plain_rollout(run.weights);
    const Matrix got = attention_rollout(stored(run.weights));
    const Tensor product = rollout_product(run.layers, Matrix::identity(9).to_tensor());
    for (std::size_t i = 0; i < 9; ++i) {
      const std::vector<double> row = rollout_row(run.layers, static_cast<Index>(i));
      double sum = 0;
      for (std::size_t j = 0; j < 9; ++j) {
        EXPECT_NEAR(got(static_cast<Index>(i), static_cast<Index>(j)), expected[i][j], 1e-12);
        EXPECT_NEAR(row[j], expected[i][j], 2e-6);
        EXPECT_NEAR(product(static_cast<Index>(i), static_cast<Index>(j)), expected[i][j], 2e-6);
        sum += expected[i][j];
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST(Rollout, products_with_several_columns_and_grouped_heads) {
  Random random(3);
  const Tensor q = random.normal({1, 4, 11, 8}), k = random.normal({1, 2, 11, 8}),
               u = random.normal({11, 3});
  const Tensor weights = attention(q, k, k, {.weights = true}).weights;
  const Matrix r = attention_rollout(stored(weights));
  const fovea::Run layers = run_of(q, k);
  const Tensor product = rollout_product(layers, u), transposed = rollout_transposed_product(layers, u);
  for (Index i = 0; i < 11; ++i) {
    for (Index c = 0; c < 3; ++c) {
      double expected = 0, expected_transposed = 0;
      for (Index j = 0; j < 11; ++j) {
        expected += r(i, j) * static_cast<double>(u(j, c));
        expected_transposed += r(j, i) * static_cast<double>(u(j, c));
      }
      EXPECT_NEAR(product(i, c), expected, 3e-6);
      EXPECT_NEAR(transposed(i, c), expected_transposed, 3e-6);
    }
  }
}

TEST(Rollout, one_head_without_axes_for_it) {
  Random random(4);
  const Tensor q = random.normal({6, 4});
  const Matrix r =
      attention_rollout(stored(attention(q, q, q, {.weights = true}).weights.reshaped({1, 1, 6, 6})));
  const std::vector<double> row = rollout_row(run_of(q, q), 5);
  for (Index j = 0; j < 6; ++j) EXPECT_NEAR(row[static_cast<std::size_t>(j)], r(5, j), 1e-6);
}

TEST(Rollout, by_hand) {
  const Tensor weights = Tensor::from({{{{1, 0}, {0.5, 0.5}}}, {{{0, 1}, {1, 0}}}});
  const Matrix r =
      attention_rollout(stored(weights));  // Â_1 = [[1, 0], [1/4, 3/4]], Â_2 = [[1/2, 1/2], [1/2, 1/2]]
  EXPECT_DOUBLE_EQ(r(0, 0), 0.625);
  EXPECT_DOUBLE_EQ(r(0, 1), 0.375);
  EXPECT_DOUBLE_EQ(r(1, 0), 0.625);
  EXPECT_EQ(attention_rollout(stored(Tensor::filled({3, 2, 1, 1}, 1)))(0, 0), 1);
}

// The same from stored weights as from queries and keys.
TEST(Rollout, stored_weights_have_products_too) {
  const SampleRun run(9, with_hidden_rows(9));
  Random random(8);
  const Tensor u = random.normal({9, 2});
  const fovea::Run weights = stored(run.weights);
  const Tensor a = rollout_product(weights, u), b = rollout_product(run.layers, u);
  const Tensor c = rollout_transposed_product(weights, u), d = rollout_transposed_product(run.layers, u);
  for (Index i = 0; i < 18; ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], 2e-6);
    EXPECT_NEAR(c.data()[i], d.data()[i], 2e-6);
  }
  const Tensor layers = rollout_by_layer(run.layers);
  const Matrix last = attention_rollout(weights);
  ASSERT_EQ(layers.shape(), (Shape{2, 9, 9}));
  EXPECT_NEAR(layers(1, 3, 2), last(3, 2), 1e-6);
  EXPECT_NEAR(layers(0, 3, 3), plain_residual(run.weights, 0)[3][3], 1e-6);
}

TEST(Rollout, can_be_stopped_between_layers) {
  const SampleRun run(9);
  std::stop_source stop;
  std::vector<double> shares;
  RolloutOptions options;
  options.stop = stop.get_token();
  options.progress = [&](double share) {
    shares.push_back(share);
    stop.request_stop();
  };
  EXPECT_THROW(rollout_row(run.layers, 3, options), Stopped);
  EXPECT_EQ(shares, (std::vector<double>{0.5}));
  EXPECT_THROW(attention_flow(run.layers, options), Stopped);
}

TEST(Rollout, what_does_not_fit) {
  EXPECT_EQ(testing::message_of([] {
              attention_rollout(stored(Tensor({2, 3, 4, 5})));
            }),
            "[rollout] layer 0 has 4 queries and 5 keys, expected 4 of both: one sequence that looks at "
            "itself");
  EXPECT_EQ(testing::message_of([] {
              attention_rollout(fovea::Run::from_weights(Tensor({2, 2, 3, 4, 4})));
            }),
            "[rollout] the run has 2 sequences, expected one: choose with Run::select");
  EXPECT_EQ(testing::message_of([] { attention_rollout(fovea::Run()); }),
            "[rollout] got no layers, expected at least one");
  Tensor nan({1, 2, 4, 8});
  nan(0, 0, 1, 0) = std::nanf("");
  EXPECT_THROW(attention_flow(run_of(nan, nan)), Error);
  const Tensor q({1, 2, 4, 8}), k({1, 2, 5, 8});
  EXPECT_THROW(rollout_row(run_of(q, k), 0), Error);
  EXPECT_EQ(testing::message_of([&] { rollout_row(run_of(q, q), 4); }),
            "[rollout] position is 4, expected 0 ≤ position < 4");
  EXPECT_THROW(rollout_product(run_of(q, q), Tensor({5, 1})), Error);
}

// The least cut between an output position and an input token, by trying every set of nodes on the side of
// the source: by the theorem of Ford and Fulkerson the largest flow.
double least_cut(const std::vector<Rows>& layers, std::size_t source, std::size_t target) {
  const std::size_t n = layers[0].size(), nodes = n * (layers.size() + 1);
  const std::size_t first = layers.size() * n + source;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t set = 0; set < std::size_t{1} << nodes; ++set) {
    const auto inside = [&](std::size_t node) { return (set >> node & 1) != 0; };
    if (!inside(first) || inside(target)) continue;
    double cut = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (inside((l + 1) * n + i) && !inside(l * n + j)) cut += layers[l][i][j];
        }
      }
    }
    least = std::min(least, cut);
  }
  return least;
}

TEST(AttentionFlow, is_the_least_cut) {
  Random random(9);
  for (const Index depth : {1, 2, 3}) {
    const Tensor q = random.normal({depth, 2, 3, 4});
    const Tensor weights =
        attention(q, q, q, {.mask = depth == 2 ? Mask::causal() : Mask(), .scale = 1.0f, .weights = true})
            .weights;
    std::vector<Rows> layers;
    for (Index l = 0; l < depth; ++l) layers.push_back(plain_residual(weights, l));
    const Matrix flow = attention_flow(stored(weights));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::vector<double> row = attention_flow(stored(weights), static_cast<Index>(i));
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(flow(static_cast<Index>(i), static_cast<Index>(j)), least_cut(layers, i, j), 1e-9)
            << depth << " layers, " << i << " → " << j;
        EXPECT_EQ(row[j], flow(static_cast<Index>(i), static_cast<Index>(j)));
      }
    }
  }
}

// Flow through two layers of five tokens, some of which must be taken back on the way.
TEST(AttentionFlow, larger_graphs) {
  const SampleRun run(5, Mask());
  std::vector<Rows> layers = {plain_residual(run.weights, 0), plain_residual(run.weights, 1)};
  const Matrix flow = attention_flow(stored(run.weights)), streamed = attention_flow(run.layers);
  for (std::size_t j = 0; j < 5; ++j) {
    const double expected = least_cut(layers, 2, j);
    EXPECT_NEAR(flow(2, static_cast<Index>(j)), expected, 1e-9);
    EXPECT_NEAR(streamed(2, static_cast<Index>(j)), expected, 2e-6);
    EXPECT_NEAR(attention_flow(run.layers, 2)[j], expected, 2e-6);
  }
}

TEST(AttentionFlow, edges) {
  EXPECT_DOUBLE_EQ(attention_flow(stored(Tensor::filled({4, 2, 1, 1}, 1)))(0, 0), 1);
  const Matrix one_layer = attention_flow(stored(Tensor::from({{{{1, 0}, {0.5, 0.5}}}})));
  EXPECT_DOUBLE_EQ(one_layer(1, 0), 0.25);
  EXPECT_DOUBLE_EQ(one_layer(1, 1), 0.75);
  EXPECT_DOUBLE_EQ(one_layer(0, 1), 0);
  EXPECT_EQ(testing::message_of([] {
              attention_flow(stored(Tensor({1, 1, 513, 513})));
            }),
            "[attention_flow] got 513 tokens, expected at most 512; rollout has no limit");
  EXPECT_THROW(attention_flow(stored(Tensor({1, 1, 2, 2})), 2), Error);
}

}  // namespace
}  // namespace fovea
