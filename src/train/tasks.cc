#include <algorithm>

#include "core/dropout.h"
#include "core/fail.h"
#include "fovea/training_tasks.h"
#include "train/task_batches.h"

namespace fovea {

Random generator_of(std::uint64_t seed, Index number) {
  return Random(mix_bits(mix_bits(seed) ^ static_cast<std::uint64_t>(number)));
}

TrainingBatch empty_batch(Index batch, Index tokens) {
  return {Ids::filled({batch, tokens}, 0), Ids::filled({batch, tokens}, kIgnored)};
}

namespace {

class SortData final : public TrainingData {
 public:
  explicit SortData(const SortTask& task) : task_(task) {}

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    Random random = generator_of(seed, number);
    const Index digits = task_.digits, tokens = 2 * digits - 1;
    TrainingBatch batch = empty_batch(task_.batch, tokens);
    std::vector<Index> whole(static_cast<std::size_t>(2 * digits));
    for (Index b = 0; b < task_.batch; ++b) {
      const auto middle = whole.begin() + digits;
      std::generate(whole.begin(), middle, [&] { return random.below(kSortVocabulary); });
      std::copy(whole.begin(), middle, middle);
      std::sort(middle, whole.end());
      for (Index n = 0; n < tokens; ++n) {
        batch.ids(b, n) = whole[static_cast<std::size_t>(n)];
        if (n + 1 >= digits) batch.targets(b, n) = whole[static_cast<std::size_t>(n + 1)];
      }
    }
    return batch;
  }

 private:
  SortTask task_;
};

class InductionData final : public TrainingData {
 public:
  explicit InductionData(const InductionTask& task) : task_(task) {}

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    Random random = generator_of(seed, number);
    TrainingBatch batch = empty_batch(task_.batch, task_.tokens);
    std::vector<Index> whole(static_cast<std::size_t>(task_.tokens + 1));
    for (Index b = 0; b < task_.batch; ++b) {
      const Index period =
          task_.shortest_period + random.below(task_.longest_period - task_.shortest_period + 1);
      for (Index n = 0; n <= task_.tokens; ++n) {
        whole[static_cast<std::size_t>(n)] =
            n < period ? random.below(task_.vocabulary) : whole[static_cast<std::size_t>(n - period)];
      }
      for (Index n = 0; n < task_.tokens; ++n) {
        batch.ids(b, n) = whole[static_cast<std::size_t>(n)];
        if (counts(n + 1, period)) batch.targets(b, n) = whole[static_cast<std::size_t>(n + 1)];
      }
    }
    return batch;
  }

 private:
  // Does the target at this place of the sequence count?
  bool counts(Index place, Index period) const {
    if (task_.part == InductionTask::Part::first) return place < period;
    if (task_.part == InductionTask::Part::repeats) return place > period;
    return true;
  }

  InductionTask task_;
};

}  // namespace

std::shared_ptr<const TrainingData> training_data(const SortTask& task) {
  if (task.digits < 1 || task.batch < 1 || task.digits > 100'000 || task.batch > 1'000'000) {
    fail("[train] sort: {} digits in batches of {}, expected at least one of each", task.digits,
         task.batch);
  }
  return std::make_shared<SortData>(task);
}

std::shared_ptr<const TrainingData> training_data(const InductionTask& task) {
  const bool fits = task.vocabulary >= 2 && task.batch >= 1 && task.shortest_period >= 1 &&
                    task.longest_period >= task.shortest_period && task.tokens > task.longest_period;
  if (!fits || task.batch > 1'000'000 || task.tokens > 10'000'000) {
    fail(
        "[train] induction: {} tokens of {} in batches of {}, periods {} to {}: expected two kinds of tokens "
        "or more, and sequences longer than the longest period",
        task.tokens, task.vocabulary, task.batch, task.shortest_period, task.longest_period);
  }
  return std::make_shared<InductionData>(task);
}

}  // namespace fovea
