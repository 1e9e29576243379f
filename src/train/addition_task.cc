#include "core/dropout.h"
#include "core/fail.h"
#include "fovea/training_tasks.h"
#include "train/task_batches.h"

namespace fovea {
namespace {

constexpr std::uint64_t kKeptPairs = 5;  // every fifth

class AdditionData final : public TrainingData {
 public:
  explicit AdditionData(const AdditionTask& task) : task_(task) {
    const Index n = task.modulus;
    for (Index pair = 0; pair < n * n; ++pair) {
      const bool kept = mix_bits(static_cast<std::uint64_t>(pair) + 1) % kKeptPairs == 0;
      if (kept == task.held_out) pairs_.push_back(pair);
    }
  }

  bool empty() const { return pairs_.empty(); }

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    Random random = generator_of(seed, number);
    TrainingBatch batch = empty_batch(task_.batch, 4);
    const Index n = task_.modulus;
    for (Index row = 0; row < task_.batch; ++row) {
      const Index pair = pairs_[static_cast<std::size_t>(random.below(static_cast<Index>(pairs_.size())))];
      const Index a = pair / n, b = pair % n;
      batch.ids(row, 0) = a;
      batch.ids(row, 1) = n;
      batch.ids(row, 2) = b;
      batch.ids(row, 3) = n + 1;
      batch.targets(row, 3) = (a + b) % n;
    }
    return batch;
  }

 private:
  AdditionTask task_;
  std::vector<Index> pairs_;  // a · modulus + b
};

}  // namespace

std::shared_ptr<const TrainingData> training_data(const AdditionTask& task) {
  if (task.modulus < 4 || task.modulus > 4096 || task.batch < 1 || task.batch > 1'000'000) {
    fail("[train] addition modulo {} in batches of {}: expected 4 to 4096, and at least one", task.modulus,
         task.batch);
  }
  return std::make_shared<AdditionData>(task);
}

}  // namespace fovea
