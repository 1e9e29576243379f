// The one sentence of each step, in both languages, with numbers of this very computation.
#pragma once

#include <string>
#include <vector>

#include "fovea/language.h"
#include "fovea/matrix.h"

namespace fovea {

using Tokens = std::vector<std::string>;

std::string quoted(const std::string& token);  // “love”

Text input_sentence(const Matrix& x, const Tokens& tokens);
Text memory_sentence(const Matrix& memory, const Tokens& tokens);
Text weight_sentence(char which, const Matrix& w);  // 'q', 'k', 'v'

// Q, K or V, made from `input` by `w`; w empty: the input itself. Says how its first number comes about.
Text projected_sentence(char which, const Matrix& input, const Matrix& w, const Matrix& result,
                        const Tokens& tokens);
Text given_sentence(char which, const Matrix& matrix);                             // Q, K, V given directly
Text split_sentence(char which, Index head, Index heads, Index begin, Index end);  // columns of one head

Text scores_sentence(const Matrix& scores, const Tokens& tokens, const Tokens& keys);
Text scaled_sentence(const Matrix& scores, const Matrix& scaled, Index d_k, bool by_root, double scale);
Text capped_sentence(const Matrix& before, const Matrix& after, double cap);
Text bias_sentence(const Matrix& bias);
Text biased_sentence(const Matrix& before, const Matrix& after, const Tokens& tokens, const Tokens& keys);
Text mask_sentence(const Matrix& mask, const Tokens& tokens, const Tokens& keys);
Text masked_sentence(const Matrix& masked);
Text weights_sentence(const Matrix& weights, const Tokens& tokens, const Tokens& keys);
Text mixture_sentence(const Matrix& weights, const Matrix& output, const Tokens& tokens,
                      const Tokens& keys);
Text concat_sentence(Index heads, Index width);
Text output_weight_sentence(const Matrix& w);
Text output_sentence(const Matrix& output, const Tokens& tokens);

}  // namespace fovea
