// The worked examples of the tutorials, with the right numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/explain.h"

namespace fovea {

// The account carries the tokens, and a note wherever a tutorial prints a wrong number.
struct FOVEA_API Example {
  std::string id;
  Text title;
  Account account;
};

// In the order of teaching:
//   qkv                     one query, three keys: the worked example
//   exercise-1              Q = [[1]], keys 1, 2, 0.5
//   exercise-2              Q = [[1, 0]], K = I
//   three-words             我 喜欢 AI, vectors of two numbers, Q = K = V = X
//   i-love-ai               I love AI, X 3×4, W_q, W_k, W_v from NumPy's seed 42
//   self-attention          X 3×4 and W 4×3, all from NumPy's seed 42
//   five-words              我 喜欢 学习 AI 技术, X 5×5 from NumPy's seed 42, Q = K = V = X
//   deep-ml-self-attention  X = W_q = W_k = I, W_v = [[1, 2], [3, 4]]
//   deep-ml-multi-head      Q = K = V = I, two heads of width 1
//   words-1, words-2, words-3   the sentences of the small word vectors (words.h), Q = K = V = X
FOVEA_API std::vector<std::string> example_ids();
FOVEA_API Example example(std::string_view id);  // throws Error naming the ids there are
FOVEA_API std::vector<Example> examples();       // all of them

FOVEA_API Account i_love_ai();  // example("i-love-ai").account

}  // namespace fovea
