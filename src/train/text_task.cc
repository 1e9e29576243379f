#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/training_tasks.h"
#include "train/task_batches.h"

namespace fovea {
namespace {

class TextData final : public TrainingData {
 public:
  TextData(const TextTask& task, Index begin, Index size)
      : task_(task),
        ids_(task.ids->data() + begin),
        size_(size),
        tokens_(std::min(task.tokens, masked() ? size : size - 1)) {}

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    Random random = generator_of(seed, number);
    TrainingBatch batch = empty_batch(task_.batch, tokens_);
    const Index places = size_ - tokens_ + (masked() ? 1 : 0);
    for (Index b = 0; b < task_.batch; ++b) {
      const Index* window = ids_ + random.below(places);
      for (Index n = 0; n < tokens_; ++n) {
        batch.ids(b, n) = window[n];
        if (!masked()) batch.targets(b, n) = window[n + 1];
      }
      if (masked()) mask(batch, b, random);
    }
    return batch;
  }

 private:
  bool masked() const { return task_.mask_id >= 0; }

  void mask(TrainingBatch& batch, Index b, Random& random) const {
    const Index sure = random.below(tokens_);  // a row without a target teaches nothing
    for (Index n = 0; n < tokens_; ++n) {
      if (random.uniform() >= 0.15 && n != sure) continue;
      Index& id = batch.ids(b, n);
      batch.targets(b, n) = id;
      const double kind = random.uniform();
      if (kind < 0.8) {
        id = task_.mask_id;
      } else if (kind < 0.9) {
        id = random.below(task_.vocabulary);
      }
    }
  }

  TextTask task_;  // keeps the ids
  const Index* ids_;
  Index size_, tokens_;
};

}  // namespace

TextParts text_parts(Index tokens, double tail) {
  if (!(tail > 0 && tail < 1)) fail("[train] a tail of {}, expected a share between 0 and 1", tail);
  if (tokens < 4) {
    fail("[train] the text has {} {}, expected at least 4: two to learn from, two to evaluate on", tokens,
         tokens == 1 ? "token" : "tokens");
  }
  const auto share = static_cast<Index>(std::llround(tail * static_cast<double>(tokens)));
  const Index held_out = std::clamp<Index>(share, 2, tokens - 2);
  return {tokens - held_out, held_out};
}

std::shared_ptr<const TrainingData> training_data(const TextTask& task) {
  if (task.ids == nullptr) fail("[train] there is no text to train on");
  if (task.tokens < 1 || task.batch < 1 || task.batch > 1'000'000) {
    fail("[train] text: {} tokens in batches of {}, expected at least one of each", task.tokens,
         task.batch);
  }
  if (task.mask_id >= 0 && task.vocabulary <= task.mask_id) {
    fail("[train] text: the mask's id is {}, but there are {} tokens", task.mask_id, task.vocabulary);
  }
  const TextParts parts = text_parts(static_cast<Index>(task.ids->size()), task.tail);
  if (task.held_out) return std::make_shared<TextData>(task, parts.learned, parts.held_out);
  return std::make_shared<TextData>(task, 0, parts.learned);
}

}  // namespace fovea
