// The worked examples: qkv, self-attention, words; and the two experiments: scaling, shapes.
#include <fmt/core.h>

#include "commands/demo/demos.h"
#include "fovea/error.h"
#include "fovea/examples.h"
#include "fovea/reading.h"
#include "fovea/scaling.h"
#include "fovea/shape_trace.h"
#include "fovea/words.h"

namespace fovea::command {

void demo_qkv(const Context& context, int digits) {
  context.paragraph(
      tr("A query is compared with every key (dot product), the scores are divided by √d_k, softmax "
         "turns them into weights that sum to 1, and the weights mix the values."));
  for (const char* id : {"qkv", "exercise-1", "exercise-2", "three-words"}) {
    const Account account = example(id).account;
    print_account(context, account, digits);
    print_engine_check(context, account);
  }
}

void demo_self_attention(const Context& context, int digits) {
  context.paragraph(
      tr("Queries, keys and values are three projections of the same X: every row looks at every row."));
  const Account drawn = example("self-attention").account;
  print_account(context, drawn, digits);
  print_engine_check(context, drawn);
  const Account sentence = i_love_ai();
  print_account(context, sentence, digits, {"x", "q", "k", "v", "scores", "scaled", "weights", "output"});
  context.block(read_in_order(reading_of(sentence), context.render()));
  print_engine_check(context, sentence);
  print_account(context, example("five-words").account, digits,
                {"x", "q", "k", "v", "scores", "scaled", "weights", "output"});
  print_account(context, example("deep-ml-self-attention").account, digits,
                {"x", "w_v", "q", "k", "v", "scores", "scaled", "weights", "output"});
}

void demo_words(const Context& context, int) {
  context.paragraph(
      tr("Words as made-up vectors of four numbers; Q = K = V = X. Vectors that point in a similar "
         "direction, and long vectors, get more attention."));
  for (const char* id : {"words-1", "words-2", "words-3"}) {
    const Example each = example(id);
    context.subheading(each.title);
    const Reading reading = reading_of(each.account);
    context.block(
        matrix_to_terminal(reading.weights, reading.tokens, reading.tokens, context.render(), true));
    context.block(read_top(reading, context.render()));
  }
  context.subheading(tr("A word that is not in the vocabulary"));
  try {
    WordVectors::builtin().embed(unknown_word_sentence());
  } catch (const Error& error) {
    context.line(fmt::format("  $ fovea explain \"{}\"", unknown_word_sentence()));
    print_error(context, error);
  }
  context.line();
}

void demo_scaling(const Context& context, int digits) {
  context.block(to_terminal(scaling_experiment(), context.render(digits)));
}

void demo_shapes(const Context& context, int) {
  ShapeTraceOptions heads;
  heads.heads = 8;
  for (const ShapeTraceOptions& options : {ShapeTraceOptions{}, heads}) {
    context.block(to_terminal(trace_shapes(options), context.render()));
  }
}

}  // namespace fovea::command
