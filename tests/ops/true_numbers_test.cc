// The true numbers of the tutorials' examples: to every printed digit in double, to 1e-6 · max(1, |x|) in
// float32.
#include <cmath>

#include <gtest/gtest.h>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/softmax.h"
#include "reference/attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::on_every_instruction_set;

void expect_engine(const Tensor& got, const std::vector<double>& want) {
  ASSERT_EQ(got.shape().elements(), static_cast<Index>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(got.data()[i]), want[i], 1e-6 * std::max(1.0, std::abs(want[i])))
        << "at " << i;
  }
}

// Printed with 8 decimals: half a unit of the last one.
void expect_double(const std::vector<double>& got, const std::vector<double>& want,
                   double half_digit = 0.5000001e-8) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], half_digit) << "at " << i;
}

struct Example {
  const char* name;
  NestedList<float> q, k, v;
  std::vector<double> weights, output;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"worked example",
       {{1, 0}},
       {{1, 0}, {0, 1}, {1, 0}},
       {{10, 0}, {0, 20}, {30, 0}},
       {0.40111209, 0.19777581, 0.40111209},
       {16.04448371, 3.95551629}},
      {"exercise 1",
       {{1}},
       {{1}, {2}, {0.5}},
       {{10}, {20}, {5}},
       {0.2312239, 0.62853172, 0.14024438},
       {15.58409528}},
      {"exercise 2",
       {{1, 0}},
       {{1, 0}, {0, 1}},
       {{5, 0}, {0, 10}},
       {0.66976155, 0.33023845},
       {3.34880775, 3.30238451}},
  };
  return list;
}

TEST(TrueNumbers, worked_example_and_exercises) {
  for (const Example& e : examples()) {
    SCOPED_TRACE(e.name);
    const Tensor q = Tensor::from(e.q), k = Tensor::from(e.k), v = Tensor::from(e.v);
    const auto truth = reference::attention(q, k, v);
    expect_double(truth.weights.values, e.weights);
    expect_double(truth.output.values, e.output);
    on_every_instruction_set([&] {
      const AttentionResult r = attention(q, k, v, {.weights = true});
      expect_engine(r.weights, e.weights);
      expect_engine(r.output, e.output);
    });
  }
}

TEST(TrueNumbers, i_like_ai) {
  const DoubleArray x({3, 2}, {1, 0.5, 0.8, 0.6, 0.5, 1});
  const auto truth = reference::attention(x, x, x);
  expect_double({truth.weights.values.begin(), truth.weights.values.begin() + 3},
                {0.3653192, 0.3285554, 0.30612539});
  expect_double({truth.output.values.begin(), truth.output.values.begin() + 2}, {0.78122622, 0.68591824});
}

DoubleArray drawn(Random& random, Index rows, Index columns) {
  DoubleArray a({rows, columns});
  for (double& value : a.values) value = random.normal();
  return a;
}

TEST(TrueNumbers, i_love_ai) {
  Random random = Random::numpy(42);
  const DoubleArray x({3, 4}, {1, 0, 1, 0, 0, 2, 0, 2, 1, 1, 1, 1});
  const DoubleArray w_q = drawn(random, 4, 4), w_k = drawn(random, 4, 4), w_v = drawn(random, 4, 4);
  const DoubleArray q = reference::matmul(x, w_q), k = reference::matmul(x, w_k),
                    v = reference::matmul(x, w_v);
  expect_double({q.values.begin(), q.values.begin() + 4}, {0.02723977, 0.40429574, 0.18427085, 1.0573001});
  const auto truth = reference::attention(q, k, v);
  const std::vector<double> weights = {0.22695843, 0.52620171, 0.24683985, 0.02880233, 0.86724101,
                                       0.10395666, 0.06333749, 0.80579188, 0.13087063};
  expect_double(truth.weights.values, weights);
  expect_double({truth.output.values.begin(), truth.output.values.begin() + 4},
                {-1.30610589, -3.90128861, -1.9891922, 0.90813353});
  on_every_instruction_set([&] {
    Random again = Random::numpy(42);
    const Tensor wq = again.randn({4, 4}), wk = again.randn({4, 4}), wv = again.randn({4, 4});
    const AttentionResult r = self_attention(Tensor::from({{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}}), wq,
                                             wk, wv, {.weights = true});
    expect_engine(r.weights, weights);
    for (Index c = 0; c < 4; ++c)
      EXPECT_NEAR(r.output(0, c), static_cast<float>(truth.output.row(0)[c]), 4e-6f);
  });
}

TEST(TrueNumbers, self_attention_of_seed_42) {
  const std::vector<double> weights = {0.81995736, 0.02616278, 0.15387986, 0.02856435, 0.0325557,
                                       0.93887995, 0.14520511, 0.74423134, 0.11056355};
  const std::vector<double> output = {-0.85815938, -1.3735256, 0.08172599,  0.3150046,  1.49837575,
                                      0.81211613,  -0.7327598, -0.50535041, -0.83629886};
  Random random = Random::numpy(42);
  const DoubleArray x = drawn(random, 3, 4);
  expect_double({x.values.begin(), x.values.begin() + 4}, {0.49671415, -0.1382643, 0.64768854, 1.52302986});
  const DoubleArray w_q = drawn(random, 4, 3), w_k = drawn(random, 4, 3), w_v = drawn(random, 4, 3);
  const auto truth =
      reference::attention(reference::matmul(x, w_q), reference::matmul(x, w_k), reference::matmul(x, w_v));
  expect_double(truth.weights.values, weights);
  expect_double(truth.output.values, output);
  on_every_instruction_set([&] {
    Random again = Random::numpy(42);
    const Tensor tx = again.randn({3, 4}), wq = again.randn({4, 3}), wk = again.randn({4, 3}),
                 wv = again.randn({4, 3});
    const AttentionResult r = self_attention(tx, wq, wk, wv, {.weights = true});
    expect_engine(r.weights, weights);
    expect_engine(r.output, output);
  });
}

TEST(TrueNumbers, five_words_of_seed_42) {
  Random random = Random::numpy(42);
  const DoubleArray x = drawn(random, 5, 5);
  const auto truth = reference::attention(x, x, x);
  const std::vector<double> row = {0.63285661, 0.11885606, 0.05220926, 0.10354725, 0.09253082};
  expect_double({truth.weights.values.begin(), truth.weights.values.begin() + 5}, row);
  on_every_instruction_set([&] {
    const Tensor tx = Random::numpy(42).randn({5, 5});
    const AttentionResult r = attention(tx, tx, tx, {.weights = true});
    expect_engine(Tensor::copy_of(std::as_const(r.weights).view().slice(0, 0, 1)), row);
  });
}

TEST(TrueNumbers, softmax_with_and_without_scaling) {
  const double root = std::sqrt(512.0);
  const DoubleArray scaled = reference::softmax(DoubleArray({3}, {1 / root, 2 / root, 100 / root}), 0);
  expect_double(scaled.values, {0.01226952, 0.01282393, 0.97490655});
  on_every_instruction_set([&] {
    const auto f = [&](double x) { return static_cast<float>(x / root); };
    expect_engine(softmax(Tensor::from({f(1), f(2), f(100)})), scaled.values);
    EXPECT_EQ(softmax(Tensor::from({1, 2, 100}))(2), 1.0f);
  });
}

TEST(TrueNumbers, deep_ml_manner) {
  const Tensor eye = Tensor::from({{1, 0}, {0, 1}}), w_v = Tensor::from({{1, 2}, {3, 4}});
  on_every_instruction_set([&] {
    expect_engine(self_attention(eye, eye, eye, w_v).output, {1.6604769, 2.6604769, 2.3395231, 3.3395231});
    // Two heads of width 1: columns of the identity are the heads.
    const ConstView heads = eye.view().insert_axis(0).insert_axis(0).transpose(1, 3);  // [1, H, N, 1]
    const Tensor out = attention(heads, heads, heads).output;
    expect_double({out(0, 0, 0, 0), out(0, 1, 0, 0), out(0, 0, 1, 0), out(0, 1, 1, 0)},
                  {0.7311, 0.5, 0.5, 0.7311}, 0.5e-4);
  });
}

}  // namespace
}  // namespace fovea
