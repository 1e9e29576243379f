// Tasks with an endless supply of batches: small models that learn them show what attention is for.
#pragma once

#include <memory>
#include <vector>

#include "fovea/api.h"
#include "fovea/train.h"

namespace fovea {

// `digits` digits in any order, then the same ones sorted. Ids 0 to 9 are the digits; a sequence has
// 2 · digits − 1 tokens, and targets from the last unsorted digit on.
struct FOVEA_API SortTask {
  Index digits = 8;
  Index batch = 64;
};
inline constexpr Index kSortVocabulary = 10;

// Random tokens, repeated with a period that is drawn anew for every sequence: position alone does not
// reveal what comes next; the model has to find the token's previous occurrence.
struct FOVEA_API InductionTask {
  Index vocabulary = 64;
  Index tokens = 64;  // of a sequence
  Index shortest_period = 8, longest_period = 32;
  Index batch = 32;
  // Which targets count: all; those of the first period, which cannot be known; or those of the repeats
  // without their very first token.
  enum class Part { all, first, repeats };
  Part part = Part::all;
};

// a + b modulo a prime, or any other number: four tokens "a + b =", and the sum as the target of the last.
// Ids below the modulus are the numbers, then come + and =. Every fifth pair of numbers, chosen by chance
// once and for all, is kept for evaluation: nobody who learned the others by heart knows these.
struct FOVEA_API AdditionTask {
  Index modulus = 97;
  Index batch = 256;
  bool held_out = false;  // the pairs that are not learned
};

// Language modelling: windows of a text, drawn anew for every batch. The text's tail is held out.
struct FOVEA_API TextTask {
  std::shared_ptr<const std::vector<Index>> ids;
  Index tokens = 128;  // of a sequence; shorter where the part of the text is
  Index batch = 16;
  double tail = 0.1;      // share of the text that is held out
  bool held_out = false;  // that tail
  // BERT: 15 of 100 tokens are asked for; 80 % of these are masked, 10 % replaced by any token. −1: the
  // next token is asked for instead.
  Index mask_id = -1;
  Index vocabulary = 0;  // of the replacements
};

// How many tokens of a text are learned, and how many held out; both at least 2. Throws Error for texts of
// fewer than 4 tokens.
struct FOVEA_API TextParts {
  Index learned = 0, held_out = 0;
};
FOVEA_API TextParts text_parts(Index tokens, double tail = 0.1);

// A source and its translation; the token that ends a text is the last of both.
struct FOVEA_API TokenPair {
  std::vector<Index> source, target;
};

// Translation, for encoder-decoder models: every epoch goes through all pairs once, in an order of its own.
struct FOVEA_API TranslationTask {
  std::shared_ptr<const std::vector<TokenPair>> pairs;
  Index batch = 64;    // pairs; of about the same length, to save pads
  Index pad_id = 0;    // fills up shorter ones
  Index start_id = 0;  // what the decoder reads first
};

// Throw Error for invalid sizes.
FOVEA_API std::shared_ptr<const TrainingData> training_data(const SortTask& task);
FOVEA_API std::shared_ptr<const TrainingData> training_data(const InductionTask& task);
FOVEA_API std::shared_ptr<const TrainingData> training_data(const AdditionTask& task);
FOVEA_API std::shared_ptr<const TrainingData> training_data(const TextTask& task);
FOVEA_API std::shared_ptr<const TrainingData> training_data(const TranslationTask& task);

// How a model does on a batch.
struct FOVEA_API BatchScore {
  Index sequences = 0, right = 0;  // right: every target of the sequence was the likeliest token
  Index targets = 0, correct = 0;
};
FOVEA_API BatchScore score_batch(TrainableModel& model, const TrainingBatch& batch);

}  // namespace fovea
