// Linear attention: the same parts, multiplied in another order.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/demo/demos.h"
#include "fovea/attention.h"
#include "fovea/linear_attention.h"
#include "fovea/words.h"

namespace fovea::command {
namespace {

// φ(q_i)·φ(k_j) / Σ_j φ(q_i)·φ(k_j): the weights that linear attention never writes down.
Matrix implied_weights(const Matrix& x, bool causal) {
  const FeatureMap map = FeatureMap::elu_plus_one();
  Matrix weights(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const Index end = causal ? i + 1 : x.rows();
    double sum = 0;
    for (Index j = 0; j < end; ++j) {
      for (Index d = 0; d < x.columns(); ++d) {
        weights(i, j) += static_cast<double>(map(static_cast<float>(x(i, d)))) *
                         static_cast<double>(map(static_cast<float>(x(j, d))));
      }
      sum += weights(i, j);
    }
    for (Index j = 0; j < end; ++j) weights(i, j) /= sum;
  }
  return weights;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index k = 0; k < a.columns(); ++k) {
      for (Index j = 0; j < b.columns(); ++j) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

bool agrees(const Tensor& a, const Matrix& b) {
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index j = 0; j < b.columns(); ++j) {
      // ε = 1e-6 in the denominator moves the result by about that much.
      if (!(std::abs(static_cast<double>(a(i, j)) - b(i, j)) <= 2e-6 * std::max(1.0, std::abs(b(i, j)))))
        return false;
    }
  }
  return true;
}

void print_check(const Context& context, const Tensor& a, const Matrix& b, const Message& what) {
  context.line(fmt::format("{} {}", agrees(a, b) ? "✓" : "✗", context.say(what)));
}

// 8796093022208 as 8,796,093,022,208.
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

void print_costs(const Context& context) {
  context.subheading(tr("Multiplications for d = 64: N²·2d against N·2d²"));
  context.line(fmt::format("  {:>8}  {:>18}  {}  {}", "N", "softmax",
                           pad_left(context.say(tr("linear")), 14), pad_left(context.say(tr("ratio")), 6)));
  for (const std::int64_t n : {64, 1024, 16384, 262144}) {
    const std::int64_t standard = n * n * 128, linear = n * 2 * 64 * 64;
    context.line(fmt::format("  {:>8}  {:>18}  {:>14}  {:>6}", grouped(n), grouped(standard),
                             grouped(linear), grouped(standard / linear)));
  }
  context.line();
}

}  // namespace

void demo_linear(const Context& context, int digits) {
  digits = std::min(digits, 4);  // float32 results: the digits after these depend on the processor
  context.paragraph(tr(
      "φ(Q)(φ(K)ᵀV) instead of (φ(Q)φ(K)ᵀ)V: the product in brackets is D × Dv, so no N × M matrix is "
      "built and the cost grows linearly with N. φ = ELU + 1 replaces exp; there is no 1/√D. It is a "
      "different kind of attention, not a faster way to compute the same one: its weights are flatter."));
  const EmbeddedSentence sentence = WordVectors::builtin().embed(word_sentences().front());
  const Tensor x = sentence.x.to_tensor();
  const auto print_weights = [&](const Message& title, const Matrix& weights) {
    context.subheading(title);
    context.block(
        matrix_to_terminal(weights, sentence.tokens, sentence.tokens, context.render(digits), true));
  };
  print_weights(tr("Weights of softmax attention"),
                Matrix::from(attention(x, x, x, {.weights = true}).weights));
  const Matrix weights = implied_weights(sentence.x, false);
  print_weights(tr("Weights that linear attention implies"), weights);
  const Tensor output = linear_attention(x, x, x);
  context.subheading(tr("Output of linear attention"));
  context.block(matrix_to_terminal(Matrix::from(output), sentence.tokens, {}, context.render(digits)));
  print_check(context, output, product(weights, sentence.x),
              tr("Both orders of multiplication agree within 2e-6."));
  print_check(context, linear_attention(x, x, x, {.causal = true}),
              product(implied_weights(sentence.x, true), sentence.x),
              tr("So does the causal form, a running sum over the keys."));
  context.line();
  print_costs(context);
}

}  // namespace fovea::command
