// What a model predicts: logits as tokens with probabilities, and the sentence vector of encoders.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "fovea/text_model.h"

namespace fovea {

struct FOVEA_API TokenPrediction {
  Index id = 0;
  std::string token;
  double logit = 0, probability = 0;
};

// Of one position: the token after it, or of a masked-language model, the token there.
struct FOVEA_API PositionPrediction {
  Index position = 0;
  std::vector<TokenPrediction> top;  // most likely first; equal ones by id
};

// Of what a model writes; "<7>" of an id that its tokenizer does not have.
FOVEA_API std::string token_name(const TextModel& model, Index id);

// Of logits [V], in double.
FOVEA_API std::vector<double> log_probabilities(ConstView logits);
// Σ p · (log p − log q) over the tokens, in nats: how far q, after, is from p, before. Both [V].
FOVEA_API double kl_divergence(ConstView before, ConstView after);
// The same of what log_probabilities() gave, for who has them already.
FOVEA_API double kl_divergence(const std::vector<double>& log_before, const std::vector<double>& log_after);
// The mean of −log p of the tokens that came, next[i] after logits [P, V] of i, in nats.
FOVEA_API double prediction_loss(ConstView logits, const std::vector<Index>& next);
// The `count` most likely tokens of logits [V].
FOVEA_API std::vector<TokenPrediction> top_tokens(const TextModel& model, ConstView logits, Index count);
FOVEA_API std::vector<TokenPrediction> top_tokens(const TextModel& model, ConstView logits,
                                                  const std::vector<double>& logs, Index count);

// The `count` logits that moved most, the largest move first.
struct FOVEA_API LogitMove {
  Index id = 0;
  std::string token;
  double before = 0, after = 0;  // logits
};
FOVEA_API std::vector<LogitMove> largest_moves(const TextModel& model, ConstView before, ConstView after,
                                               Index count);

// Where a model predicts unless somebody says otherwise: after the last token; of masked-language models,
// at every mask of the text. Throws Error for a model without logits, and for a text without a mask.
FOVEA_API std::vector<Index> predicted_positions(const TextModel& model, const TextRun& run);

// The mean of hidden [1, N, E] over the positions, in double: the pooled vector of MiniLM and its like.
FOVEA_API std::vector<double> sentence_vector(const Tensor& hidden);
FOVEA_API double cosine(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace fovea
