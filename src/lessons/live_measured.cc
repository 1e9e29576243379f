// What is lost and what it costs: recurrent networks, linear attention, weights that explain nothing.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "explain/arithmetic.h"
#include "fovea/attention.h"
#include "fovea/explain.h"
#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "lessons/live_builder.h"
#include "ops/matrix_product.h"

namespace fovea {
namespace {

using Vector = std::vector<double>;

Vector normal_vector(Random& random, Index size, double deviation) {
  Vector result;
  for (Index i = 0; i < size; ++i) result.push_back(deviation * random.normal());
  return result;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

// h = tanh(W h + x).
Vector recurrent_step(const std::vector<Vector>& w, const Vector& h, const Vector& x) {
  Vector next;
  for (std::size_t i = 0; i < h.size(); ++i) next.push_back(std::tanh(dot(w[i], h) + x[i]));
  return next;
}

// Processor time of this thread, in milliseconds: what other programs take away does not count.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// On one core, as long as this lives. OpenMP keeps the number per thread: nobody else notices.
class OneCore {
 public:
  OneCore() : before_(thread_count()) { set_thread_count(1); }
  ~OneCore() { set_thread_count(before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  int before_;
};

// The fastest of up to five runs within 150 ms; one run before them warms up.
template <typename Run>
double milliseconds(const Run& run) {
  const OneCore one_core;
  run();
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int i = 0; i < 5 && spent < 150; ++i) {
    const double start = processor_time();
    run();
    const double time = processor_time() - start;
    best = std::min(best, time);
    spent += time;
  }
  return best;
}

}  // namespace

// Two texts that differ in their first word only. Recurrent: how far apart are the two states after n
// words, in shares of what it was after the first? Attention: the weight of a query that looks for the
// first word, n words later.
void live_forgetting(LiveBuilder& live) {
  const double gain = live.control("gain", 0.9, {0.5, 4, 0.1});
  constexpr Index kWidth = 32, kSteps[] = {1, 2, 5, 10, 20, 50}, kLongest = 50;
  Random random(7);
  std::vector<Vector> w, words;
  for (Index i = 0; i < kWidth; ++i) {
    w.push_back(normal_vector(random, kWidth, gain / std::sqrt(static_cast<double>(kWidth))));
  }
  for (Index t = 0; t < kLongest; ++t) words.push_back(normal_vector(random, kWidth, 1));

  const Vector start(static_cast<std::size_t>(kWidth), 0.0);
  Vector one = recurrent_step(w, start, words[0]);
  Vector other = recurrent_step(w, start, normal_vector(random, kWidth, 1));
  const double at_first = distance(one, other), scale = 1 / std::sqrt(static_cast<double>(kWidth));
  const double own = std::exp(dot(words[0], words[0]) * scale);
  double sum = own;
  Matrix left(6, 2);
  Index row = 0;
  for (Index t = 1; t <= kLongest; ++t) {
    if (t > 1) {
      const Vector& word = words[static_cast<std::size_t>(t - 1)];
      one = recurrent_step(w, one, word);
      other = recurrent_step(w, other, word);
      sum += std::exp(dot(words[0], word) * scale);
    }
    if (t != kSteps[row]) continue;
    left(row, 0) = distance(one, other) / at_first;
    left(row, 1) = own / sum;
    ++row;
  }
  live.show_weights("left", left);
}

// A recurrent layer and a self-attention layer of width 64 over the same text, both on our own products.
void live_waiting(LiveBuilder& live) {
  live.timed();
  const Index length = live.count("length", 512, 16, 4096);
  constexpr Index kWidth = 64;
  Random random(3);
  const Tensor x = random.normal(Shape{length, kWidth}), w = random.normal(Shape{kWidth, kWidth});
  const auto recurrent = [&] {
    const Tensor inputs = matrix_product("lessons", x, w, {.alpha = 0.1f});  // all at once: no one waits
    Tensor h({1, kWidth}), next({1, kWidth});
    for (Index t = 0; t < length; ++t) {
      matrix_product("lessons", h, w, next.view(), {.alpha = 0.1f});
      for (Index i = 0; i < kWidth; ++i) h(0, i) = std::tanh(next(0, i) + inputs(t, i));
    }
  };
  const double recurrent_time = milliseconds(recurrent);
  const double attention_time = milliseconds([&] { self_attention(x, w, w, w, {.mask = Mask::causal()}); });
  const double n = static_cast<double>(length), e = static_cast<double>(kWidth);
  Matrix table(2, 2);  // millions of multiplications, milliseconds
  table(0, 0) = 2 * n * e * e / 1e6;
  table(1, 0) = (3 * n * e * e + n * (n + 1) * e) / 1e6;  // the causal half of both products
  table(0, 1) = recurrent_time;
  table(1, 1) = attention_time;
  live.show("table", table);
  live.number("ratio", recurrent_time / attention_time);
  live.number("width", e);
}

// Exact and linear attention of the same q, k, v, NumPy's seed 42; `sharpness` multiplies the queries.
void live_linear(LiveBuilder& live) {
  const double sharpness = live.control("sharpness", 1, {0, 20, 1});
  constexpr Index kWords = 6, kWidth = 4;
  Random random = Random::numpy(42);
  const Matrix q = scaled_by(Matrix::normal(random, 1, kWidth), sharpness);
  const Matrix k = Matrix::normal(random, kWords, kWidth), v = Matrix::normal(random, kWords, kWidth);
  const Account exact = explain(q, k, v);
  // Linear attention never forms its weights; with the identity as values they are its output.
  const LinearAttentionOptions options;
  const Tensor weights =
      linear_attention(q.to_tensor(), k.to_tensor(), Matrix::identity(kWords).to_tensor(), options);
  const Tensor output = linear_attention(q.to_tensor(), k.to_tensor(), v.to_tensor(), options);
  Matrix both(2, kWords), outputs(2, kWidth);
  for (Index j = 0; j < kWords; ++j) {
    both(0, j) = exact.weights()(0, j);
    both(1, j) = weights(0, j);
  }
  for (Index j = 0; j < kWidth; ++j) {
    outputs(0, j) = exact.output()(0, j);
    outputs(1, j) = output(0, j);
  }
  live.show_weights("weights", both);
  live.show("outputs", outputs);
  const auto largest = [&](Index row) {
    const Vector values = both.row(row);
    return *std::max_element(values.begin(), values.end());
  };
  live.number("exact_largest", largest(0));
  live.number("linear_largest", largest(1));
}

// Both over 8 sequences of width 64: at `length` words and at twice as many.
void live_linear_time(LiveBuilder& live) {
  live.timed();
  const Index length = live.count("length", 512, 64, 2048);
  Matrix times(2, 2), growth(1, 2);
  for (Index row = 0; row < 2; ++row) {
    const Shape shape{8, length * (row + 1), 64};
    Random random(5);
    const Tensor q = random.normal(shape), k = random.normal(shape), v = random.normal(shape);
    times(row, 0) = milliseconds([&] { attention(q, k, v); });
    times(row, 1) = milliseconds([&] { linear_attention(q, k, v); });
  }
  for (Index column = 0; column < 2; ++column) growth(0, column) = times(1, column) / times(0, column);
  live.show("times", times);
  live.show("growth", growth);
  const double n = static_cast<double>(2 * length);
  live.number("twice", n);
  live.number("pairs", n * n);
}

// Two words with the same value: weight may move from one to the other, and nobody notices.
void live_same_output(LiveBuilder& live) {
  const double shift = live.control("shift", 0.5, {0, 0.6, 0.1});
  const Matrix values = live.editable("values", {{1, 2}, {1, 2}, {3, 0}});
  const Matrix weights = {{0.6, 0.1, 0.3}, {0.6 - shift, 0.1 + shift, 0.3}};
  const Matrix outputs = product(weights, values);
  live.show_weights("weights", weights);
  live.show("outputs", outputs);
  live.number("difference",
              std::max(std::abs(outputs(0, 0) - outputs(1, 0)), std::abs(outputs(0, 1) - outputs(1, 1))));
}

// The first token takes most of the weight and brings almost nothing: weight times length of the value.
void live_sink(LiveBuilder& live) {
  const Matrix scores = live.editable("scores", {{4, 1, 1.5, 0.5}});
  const Matrix values = live.editable("values", {{0.05, 0}, {1, 2}, {-1, 1}, {2, 0}});
  const Matrix weights = row_softmax(scores);
  Matrix brought(1, 4);
  double sum = 0;
  for (Index j = 0; j < 4; ++j) {
    brought(0, j) = weights(0, j) * std::sqrt(dot(values.row(j), values.row(j)));
    sum += brought(0, j);
  }
  if (sum > 0) brought = scaled_by(brought, 1 / sum);
  live.show_weights("weights", weights);
  live.show_weights("brought", brought);
}

}  // namespace fovea
