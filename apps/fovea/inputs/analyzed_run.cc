#include "inputs/analyzed_run.h"

#include "fovea/examples.h"
#include "fovea/explain.h"

namespace fovea::command {

AttentionWeights i_love_ai_weights(const Mask& mask) {
  constexpr Index kHeads = 4, kTokens = 3;
  const Account plain = i_love_ai();
  const Projections projections{
      plain.step("w_q").matrix, plain.step("w_k").matrix, plain.step("w_v").matrix, {}, kHeads};
  ExplainOptions options;
  options.tokens = plain.tokens;
  options.mask = mask;
  const Account account = explain(plain.step("x").matrix, projections, options);
  AttentionWeights weights;
  weights.values = Tensor::uninitialized({1, 1, kHeads, kTokens, kTokens});
  weights.query_tokens = weights.key_tokens = account.tokens;
  weights.source = "[example] I love AI";
  for (Index h = 0; h < kHeads; ++h) {
    const Matrix& head = account.weights(static_cast<int>(h));
    for (Index i = 0; i < kTokens; ++i) {
      for (Index j = 0; j < kTokens; ++j) weights.values(0, 0, h, i, j) = static_cast<float>(head(i, j));
    }
  }
  return weights;
}

}  // namespace fovea::command
