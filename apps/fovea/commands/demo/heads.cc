// Several heads, and two sentences.
#include <fmt/core.h>

#include <algorithm>

#include "commands/demo/demos.h"
#include "fovea/error.h"
#include "fovea/examples.h"
#include "fovea/multi_head_attention.h"
#include "fovea/reading.h"
#include "fovea/words.h"

namespace fovea::command {
namespace {

Projections drawn_projections(Index width, Index heads) {
  Random random = Random::numpy(42);
  Projections projections;
  projections.heads = heads;
  projections.w_q = Matrix::normal(random, width, width);
  projections.w_k = Matrix::normal(random, width, width);
  projections.w_v = Matrix::normal(random, width, width);
  projections.w_o = Matrix::normal(random, width, width);
  return projections;
}

void print_head_widths(const Context& context, Index width, Index heads) {
  Random random(42);
  const MultiHeadAttention attention({.d_model = width, .heads = heads}, random);
  const Tensor x = random.normal({2, 10, width});
  const AttentionResult result = attention(x, {.weights = true});
  print_shapes(context,
               {{"x", x.shape(),
                 tr("[B, N, E], E = {0}, {1} heads: d_k = {2}", width, heads, attention.config().d_k)},
                {"weights", result.weights.shape(), tr("[B, H, N, M]")},
                {"output", result.output.shape(), tr("[B, N, E]")}});
}

}  // namespace

void demo_multi_head(const Context& context, int digits) {
  context.paragraph(
      tr("Each head has its own queries, keys and values, a slice of the width, and can look at different "
         "tokens; the outputs are concatenated and mixed by W_O."));
  // The answer is published with four digits.
  print_account(context, example("deep-ml-multi-head").account, std::min(digits, 4));
  context.subheading(tr("我 喜欢 学习 AI 技术, two heads of width 2, W from NumPy's seed 42"));
  const EmbeddedSentence sentence = WordVectors::builtin().embed(word_sentences().front());
  ExplainOptions options;
  options.tokens = sentence.tokens;
  const Account account = explain(sentence.x, drawn_projections(sentence.x.columns(), 2), options);
  context.block(compare_heads(account, context.render(std::min(digits, 4))));
  context.subheading(tr("Through the engine: d_k = E / H"));
  print_head_widths(context, 128, 8);
  print_head_widths(context, 512, 8);
  context.subheading(tr("A width that is not divisible by the number of heads"));
  try {
    print_head_widths(context, 100, 8);
  } catch (const Error& error) {
    print_error(context, error);
  }
  context.line();
}

void demo_cross(const Context& context, int digits) {
  context.paragraph(
      tr("Queries come from one sequence (a decoder), keys and values from another (an encoder): one row "
         "per query, one column per key."));
  const WordVectors words = WordVectors::builtin();
  const EmbeddedSentence query = words.embed("编程 很 有趣"), memory = words.embed("我 喜欢 学习 AI 技术");
  ExplainOptions options;
  options.tokens = query.tokens;
  options.memory_tokens = memory.tokens;
  const Account account = explain(query.x, memory.x, Projections{}, options);
  print_account(context, account, digits,
                {"x", "memory", "q", "k", "v", "scores", "scaled", "weights", "output"});
  context.block(read_sorted(reading_of(account), context.render()));

  context.subheading(
      tr("Through the engine: two targets of 10, two sources of 20 and 12 words, four heads"));
  Random random(42);
  const MultiHeadAttention attention({.d_model = 256, .heads = 4}, random);
  const Tensor target = random.normal({2, 10, 256}), source = random.normal({2, 20, 256});
  const AttentionResult result =
      attention(target, source, {.mask = Mask::lengths({20, 12}), .weights = true});
  print_shapes(context, {{"query", target.shape(), tr("[B, N, E], from the decoder")},
                         {"memory", source.shape(), tr("[B, M, E], from the encoder")},
                         {"weights", result.weights.shape(), tr("[B, H, N, M]")},
                         {"output", result.output.shape(), tr("[B, N, E], as the query")}});
  float hidden = 0;
  for (Index h = 0; h < 4; ++h) {
    for (Index i = 0; i < 10; ++i) {
      for (Index j = 12; j < 20; ++j) hidden = std::max(hidden, result.weights(1, h, i, j));
    }
  }
  context.line("  " + context.say(tr("largest weight on a pad of the second source: {0:g}", hidden)));
  context.line();
}

}  // namespace fovea::command
