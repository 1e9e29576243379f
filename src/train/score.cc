#include <algorithm>

#include "fovea/training_tasks.h"

namespace fovea {

BatchScore score_batch(TrainableModel& model, const TrainingBatch& batch) {
  const Tensor logits = model.logits(batch);
  const Index tokens = batch.targets.shape()[1], vocabulary = logits.shape()[2];
  BatchScore score;
  for (Index b = 0; b < batch.ids.shape()[0]; ++b) {
    Index targets = 0, correct = 0;
    for (Index n = 0; n < tokens; ++n) {
      const Index target = batch.targets(b, n);
      if (target == kIgnored) continue;
      const float* row = logits.data() + (b * tokens + n) * vocabulary;
      ++targets;
      correct += std::max_element(row, row + vocabulary) - row == target;
    }
    score.targets += targets;
    score.correct += correct;
    ++score.sequences;
    score.right += targets == correct;
  }
  return score;
}

}  // namespace fovea
