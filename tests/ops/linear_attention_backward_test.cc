#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/extents.h"
#include "reference/linear_attention.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::message_of;
using testing::on_every_instruction_set;

// Magnitudes of what is summed into each gradient, for φ ≥ 0: the absolute values of all products. Their
// roundings, times √length, bound the error.
reference::LinearAttentionGradients magnitudes(const DoubleArray& q, const DoubleArray& k,
                                               const DoubleArray& v, const DoubleArray& doutput,
                                               const LinearAttentionOptions& options) {
  const reference::CallExtents e(q, k, v);
  const auto features = [&](DoubleArray x) {
    for (double& value : x.values)
      value = static_cast<double>(options.feature_map(static_cast<float>(value)));
    return x;
  };
  const DoubleArray features_q = features(q), features_k = features(k);
  const auto slopes = [&](DoubleArray x) {
    for (double& value : x.values) {
      value = std::abs(static_cast<double>(options.feature_map.derivative(static_cast<float>(value))));
    }
    return x;
  };
  const DoubleArray slopes_q = slopes(q), slopes_k = slopes(k);
  reference::LinearAttentionGradients sums{DoubleArray(q.shape), DoubleArray(k.shape),
                                           DoubleArray(v.shape)};
  for (Index h = 0; h < e.heads_total; ++h) {
    for (Index i = 0; i < e.n; ++i) {
      const double* upstream = doutput.row(h * e.n + i);
      const Index keys = options.causal ? i + e.m - e.n + 1 : e.m;
      double denominator = static_cast<double>(options.epsilon), gamma = 0;
      std::vector<double> weights, products;
      for (Index j = 0; j < keys; ++j) {
        const Index key = e.key_head(h) * e.m + j;
        double weight = 0, product = 0;
        for (Index c = 0; c < e.d; ++c) weight += features_q.row(h * e.n + i)[c] * features_k.row(key)[c];
        for (Index c = 0; c < e.dv; ++c) product += std::abs(upstream[c] * v.row(key)[c]);
        denominator += weight;
        gamma += weight * product;
        weights.push_back(weight);
        products.push_back(product);
      }
      for (Index j = 0; j < keys; ++j) {
        const Index key = e.key_head(h) * e.m + j;
        const auto at = static_cast<std::size_t>(j);
        const double factor = products[at] / denominator + gamma / denominator / denominator;
        for (Index c = 0; c < e.d; ++c) {
          sums.dq.row(h * e.n + i)[c] += factor * features_k.row(key)[c] * slopes_q.row(h * e.n + i)[c];
          sums.dk.row(key)[c] += factor * features_q.row(h * e.n + i)[c] * slopes_k.row(key)[c];
        }
        for (Index c = 0; c < e.dv; ++c) {
          sums.dv.row(key)[c] += weights[at] * std::abs(upstream[c]) / denominator;
        }
      }
    }
  }
  return sums;
}

void expect_gradients(ConstView q, ConstView k, ConstView v, ConstView doutput,
                      const LinearAttentionOptions& options = {}) {
  const LinearAttentionGradients got = linear_attention_backward(q, k, v, doutput, options);
  const reference::LinearAttentionGradients want =
      reference::linear_attention_backward(q, k, v, doutput, options);
  const reference::LinearAttentionGradients sizes = magnitudes(q, k, v, doutput, options);
  const double length =
      static_cast<double>(q.shape().back(1) + k.shape().back(1) + q.shape().back() + v.shape().back());
  const auto compare = [&](const char* name, const Tensor& tensor, const DoubleArray& expected,
                           const DoubleArray& size) {
    ASSERT_EQ(tensor.shape(), expected.shape) << name;
    testing::WorstError worst;
    for (std::size_t at = 0; at < expected.values.size(); ++at) {
      worst.compare(name, static_cast<Index>(at), static_cast<double>(tensor.data()[at]),
                    expected.values[at],
                    testing::kEpsilon * (8 + std::sqrt(length)) * size.values[at] + 1e-37);
    }
    worst.expect_none();
  };
  compare("dq", got.dq, want.dq, sizes.dq);
  compare("dk", got.dk, want.dk, sizes.dk);
  compare("dv", got.dv, want.dv, sizes.dv);
}

FeatureMap square_map() {
  return FeatureMap::custom([](float x) { return x * x + 0.5f; }, [](float x) { return 2 * x; });
}

TEST(LinearAttentionBackward, matches_the_pairwise_formula) {
  on_every_instruction_set([] {
    Random random(1);
    for (const bool causal : {false, true}) {
      for (const Index n : {0, 1, 40, 70}) {
        for (const Index m : {0, 1, 7, 64, 150}) {
          SCOPED_TRACE("n " + std::to_string(n) + " m " + std::to_string(m) + (causal ? " causal" : ""));
          expect_gradients(random.normal({2, 2, n, 9}), random.normal({2, 1, m, 9}),
                           random.normal({2, 1, m, 11}), random.normal({2, 2, n, 11}), {.causal = causal});
        }
      }
    }
  });
}

TEST(LinearAttentionBackward, every_feature_map) {
  on_every_instruction_set([] {
    Random random(2);
    for (const FeatureMap& map :
         {FeatureMap::elu_plus_one(), FeatureMap::relu(), FeatureMap::exp(), square_map()}) {
      for (const bool causal : {false, true}) {
        SCOPED_TRACE("map " + std::to_string(static_cast<int>(map.kind())));
        expect_gradients(random.normal({30, 9}), random.normal({30, 9}), random.normal({30, 5}),
                         random.normal({30, 5}), {.feature_map = map, .causal = causal});
      }
    }
    // identity, with positive inputs: |φ| is then φ.
    expect_gradients(random.uniform({30, 9}), random.uniform({20, 9}), random.normal({20, 5}),
                     random.normal({30, 5}), {.feature_map = FeatureMap::identity()});
  });
}

TEST(LinearAttentionBackward, every_width) {
  on_every_instruction_set([] {
    Random random(3);
    for (const bool causal : {false, true}) {
      for (Index d = 1; d <= 18; ++d) {
        for (const Index dv : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 25}) {
          SCOPED_TRACE("d " + std::to_string(d) + " dv " + std::to_string(dv));
          expect_gradients(random.normal({6, d}), random.normal({8, d}), random.normal({8, dv}),
                           random.normal({6, dv}), {.causal = causal});
        }
      }
    }
  });
}

TEST(LinearAttentionBackward, long_sequences_cross_chunks) {
  Random random(4);
  for (const bool causal : {false, true}) {
    expect_gradients(random.normal({1, 2, 600, 16}), random.normal({1, 1, 650, 16}),
                     random.normal({1, 1, 650, 8}), random.normal({1, 2, 600, 8}), {.causal = causal});
  }
  expect_gradients(random.normal({650, 8}), random.normal({300, 8}), random.normal({300, 8}),
                   random.normal({650, 8}), {.causal = true});
}

TEST(LinearAttentionBackward, strides_and_ranks) {
  on_every_instruction_set([] {
    Random random(5);
    const Tensor x = random.normal({2, 12, 3, 10}), y = random.normal({2, 3, 5, 12});
    const ConstView view = x.view().transpose(1, 2).slice(3, 0, 10, 2);  // [2, 3, 12, 5]
    expect_gradients(view, view, view, y.view().transpose(2, 3), {.causal = true});
    expect_gradients(random.normal({2, 5, 4}), random.normal({2, 6, 4}), random.normal({2, 6, 3}),
                     random.normal({2, 5, 3}));
    expect_gradients(random.normal({2, 3, 2, 5, 4}), random.normal({2, 3, 1, 6, 4}),
                     random.normal({2, 3, 1, 6, 3}), random.normal({2, 3, 2, 5, 3}));
  });
}

// The reference itself: (f(x + h) − f(x − h)) / 2h of Σ output · doutput, in double.
TEST(LinearAttentionBackward, reference_agrees_with_finite_differences) {
  Random random(6);
  const auto drawn = [&](const Shape& shape) { return DoubleArray(random.normal(shape)); };
  for (const FeatureMap& map : {FeatureMap::elu_plus_one(), FeatureMap::relu(), FeatureMap::exp()}) {
    for (const bool causal : {false, true}) {
      const LinearAttentionOptions options{.feature_map = map, .causal = causal};
      DoubleArray inputs[] = {drawn({1, 2, 4, 3}), drawn({1, 1, 5, 3}), drawn({1, 1, 5, 2})};
      const DoubleArray doutput = drawn({1, 2, 4, 2});
      const auto loss = [&] {
        const DoubleArray out = reference::linear_attention(inputs[0], inputs[1], inputs[2], options);
        double sum = 0;
        for (std::size_t at = 0; at < out.values.size(); ++at) sum += out.values[at] * doutput.values[at];
        return sum;
      };
      const reference::LinearAttentionGradients want =
          reference::linear_attention_backward(inputs[0], inputs[1], inputs[2], doutput, options);
      const DoubleArray* gradients[] = {&want.dq, &want.dk, &want.dv};
      for (std::size_t which = 0; which < 3; ++which) {
        for (std::size_t at = 0; at < inputs[which].values.size(); ++at) {
          double& x = inputs[which].values[at];
          const double before = x, step = 1e-5;
          x = before + step;
          const double above = loss();
          x = before - step;
          const double below = loss();
          x = before;
          const double gradient = gradients[which]->values[at];
          EXPECT_NEAR((above - below) / (2 * step), gradient, 1e-7 * (1 + std::abs(gradient)))
              << "input " << which << " at " << at;
        }
      }
    }
  }
}

TEST(LinearAttentionBackward, agrees_with_autograd_of_pytorch) {
  on_every_instruction_set([] {
    Random random = Random::numpy(11);
    const Tensor q = random.normal({1, 2, 5, 3}), k = random.normal({1, 1, 7, 3}),
                 v = random.normal({1, 1, 7, 4}), doutput = random.normal({1, 2, 5, 4});
    std::ifstream golden(FOVEA_TEST_DATA "/linear_attention_golden.txt");
    int causal = 0, lines = 0;
    Index count = 0;
    for (std::string name; golden >> causal >> name >> count; ++lines) {
      const LinearAttentionOptions options{.causal = causal == 1};
      LinearAttentionGradients gradients = linear_attention_backward(q, k, v, doutput, options);
      const std::map<std::string, Tensor> got{{"output", linear_attention(q, k, v, options)},
                                              {"dq", std::move(gradients.dq)},
                                              {"dk", std::move(gradients.dk)},
                                              {"dv", std::move(gradients.dv)}};
      ASSERT_EQ(got.at(name).shape().elements(), count);
      for (Index at = 0; at < count; ++at) {
        double expected = 0;
        golden >> expected;
        EXPECT_NEAR(static_cast<double>(got.at(name).data()[at]), expected, 2e-6) << name << " at " << at;
      }
    }
    EXPECT_EQ(lines, 8);
  });
}

TEST(LinearAttentionBackward, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  Random random(7);
  const Tensor q = random.normal({1, 2, 900, 16}), k = random.normal({1, 1, 1000, 16}),
               v = random.normal({1, 1, 1000, 8}), doutput = random.normal({1, 2, 900, 8});
  const auto same = [](const Tensor& a, const Tensor& b) {
    return std::memcmp(a.data(), b.data(),
                       sizeof(float) * static_cast<std::size_t>(a.shape().elements())) == 0;
  };
  for (const bool causal : {false, true}) {
    set_thread_count(1);
    const LinearAttentionGradients one = linear_attention_backward(q, k, v, doutput, {.causal = causal});
    for (const int threads : {2, 3}) {
      set_thread_count(threads);
      const LinearAttentionGradients more = linear_attention_backward(q, k, v, doutput, {.causal = causal});
      EXPECT_TRUE(same(one.dq, more.dq) && same(one.dk, more.dk) && same(one.dv, more.dv)) << threads;
    }
  }
  set_thread_count(before);
}

// NaN in query 3: its own row of dq, and the keys that it sees.
TEST(LinearAttentionBackward, nan_reaches_only_what_depends_on_it) {
  on_every_instruction_set([] {
    Random random(8);
    Tensor q = random.normal({6, 5}), v = random.normal({6, 3});
    const Tensor k = random.normal({6, 5}), doutput = random.normal({6, 3});
    q(3, 1) = std::nanf("");
    LinearAttentionGradients got = linear_attention_backward(q, k, v, doutput, {.causal = true});
    for (Index i = 0; i < 6; ++i) {
      EXPECT_EQ(std::isnan(got.dq(i, 0)), i == 3) << i;
      EXPECT_EQ(std::isnan(got.dk(i, 0)), i <= 3) << i;
      EXPECT_EQ(std::isnan(got.dv(i, 0)), i <= 3) << i;
    }
    // A value reaches the queries that see it, and through them their keys.
    q(3, 1) = 0;
    v(4, 0) = std::nanf("");
    got = linear_attention_backward(q, k, v, doutput, {.causal = true});
    for (Index i = 0; i < 6; ++i) {
      EXPECT_EQ(std::isnan(got.dq(i, 0)), i >= 4) << i;
      EXPECT_TRUE(std::isnan(got.dk(i, 0))) << i;
      EXPECT_TRUE(std::isfinite(got.dv(i, 0))) << i;
    }
  });
}

TEST(LinearAttentionBackward, errors) {
  const Tensor x({3, 4});
  EXPECT_EQ(message_of([&] {
              linear_attention_backward(x, x, x, Tensor({3, 5}));
            }),
            "[linear_attention_backward] doutput has shape [3, 5], expected [3, 4]");
  const FeatureMap map = FeatureMap::custom([](float value) { return value; });
  EXPECT_EQ(message_of([&] { linear_attention_backward(x, x, x, x, {.feature_map = map}); }),
            "[linear_attention_backward] the custom feature map has no derivative; "
            "FeatureMap::custom(function, derivative) gives it one");
  EXPECT_FALSE(map.has_derivative());
  EXPECT_THROW(map.derivative(1), Error);
  EXPECT_THROW(FeatureMap::custom([](float value) { return value; }, nullptr), Error);
  EXPECT_THROW(linear_attention_backward(x, x, x, x, {.epsilon = -1}), Error);
}

}  // namespace
}  // namespace fovea
