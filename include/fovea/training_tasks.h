// Tasks with an endless supply of batches: small models that learn them show what attention is for.
#pragma once

#include <memory>

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

// Throw Error for invalid sizes.
FOVEA_API std::shared_ptr<const TrainingData> training_data(const SortTask& task);
FOVEA_API std::shared_ptr<const TrainingData> training_data(const InductionTask& task);

}  // namespace fovea
