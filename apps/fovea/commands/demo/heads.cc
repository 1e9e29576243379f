// Several heads, and two sentences.
#include <fmt/core.h>

#include <algorithm>

#include "commands/demo/demos.h"
#include "fovea/error.h"
#include "fovea/examples.h"
#include "fovea/multi_head_attention.h"
#include "fovea/reading.h"
#include "fovea/words.h"
#include "output/layout.h"

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
  print_shapes(
      context,
      {{"x",
        x.shape(),
        {fmt::format("[B, N, E], E = {}, {} heads: d_k = {}", width, heads, attention.config().d_k),
         fmt::format("[B, N, E]，E = {}，{} 个头：d_k = {}", width, heads, attention.config().d_k)}},
       {"weights", result.weights.shape(), {"[B, H, N, M]", "[B, H, N, M]"}},
       {"output", result.output.shape(), {"[B, N, E]", "[B, N, E]"}}});
}

}  // namespace

void demo_multi_head(const Context& context, int digits) {
  context.paragraph(
      {"Each head has its own queries, keys and values, of a part of the width, and may look elsewhere; "
       "their outputs are put side by side and mixed by W_O.",
       "每个头有自己的查询、键、值，只占宽度的一部分，可以各看各的；各头的输出拼接起来，再由 W_O 混合。"});
  // The answer is published with four digits.
  print_account(context, example("deep-ml-multi-head").account, std::min(digits, 4));
  context.subheading({"我 喜欢 学习 AI 技术, two heads of width 2, W from NumPy's seed 42",
                      "我 喜欢 学习 AI 技术，两个宽度为 2 的头，W 取自 NumPy 种子 42"});
  const EmbeddedSentence sentence = WordVectors::builtin().embed(word_sentences().front());
  ExplainOptions options;
  options.tokens = sentence.tokens;
  const Account account = explain(sentence.x, drawn_projections(sentence.x.columns(), 2), options);
  context.block(compare_heads(account, context.render(std::min(digits, 4))));
  context.subheading({"Through the engine: d_k = E / H", "用引擎计算：d_k = E / H"});
  print_head_widths(context, 128, 8);
  print_head_widths(context, 512, 8);
  context.subheading({"A width that the heads do not divide", "宽度不能被头数整除"});
  try {
    print_head_widths(context, 100, 8);
  } catch (const Error& error) {
    print_error(context, error);
  }
  context.line();
}

void demo_cross(const Context& context, int digits) {
  context.paragraph(
      {"Queries come from one sequence (a decoder), keys and values from another (an encoder): as many "
       "rows as there are queries, as many columns as there are keys.",
       "查询来自一个序列（解码器），键和值来自另一个（编码器）：行数是查询数，列数是键数。"});
  const WordVectors words = WordVectors::builtin();
  const EmbeddedSentence query = words.embed("编程 很 有趣"), memory = words.embed("我 喜欢 学习 AI 技术");
  ExplainOptions options;
  options.tokens = query.tokens;
  options.memory_tokens = memory.tokens;
  const Account account = explain(query.x, memory.x, Projections{}, options);
  print_account(context, account, digits,
                {"x", "memory", "q", "k", "v", "scores", "scaled", "weights", "output"});
  context.block(read_sorted(reading_of(account), context.render()));

  context.subheading({"Through the engine: two targets of 10, two sources of 20 and 12 words, four heads",
                      "用引擎计算：两个长 10 的目标，两个长 20 与 12 的源，四个头"});
  Random random(42);
  const MultiHeadAttention attention({.d_model = 256, .heads = 4}, random);
  const Tensor target = random.normal({2, 10, 256}), source = random.normal({2, 20, 256});
  const AttentionResult result =
      attention(target, source, {.mask = Mask::lengths({20, 12}), .weights = true});
  print_shapes(context,
               {{"query", target.shape(), {"[B, N, E], from the decoder", "[B, N, E]，来自解码器"}},
                {"memory", source.shape(), {"[B, M, E], from the encoder", "[B, M, E]，来自编码器"}},
                {"weights", result.weights.shape(), {"[B, H, N, M]", "[B, H, N, M]"}},
                {"output", result.output.shape(), {"[B, N, E], as the query", "[B, N, E]，与查询相同"}}});
  float hidden = 0;
  for (Index h = 0; h < 4; ++h) {
    for (Index i = 0; i < 10; ++i) {
      for (Index j = 12; j < 20; ++j) hidden = std::max(hidden, result.weights(1, h, i, j));
    }
  }
  context.line(fmt::format(
      "  {}{:g}",
      context.say({"largest weight on a pad of the second source: ", "第二个源中填充位置的最大权重："}),
      hidden));
  context.line();
}

}  // namespace fovea::command
