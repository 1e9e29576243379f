#include <algorithm>
#include <numeric>

#include "core/fail.h"
#include "fovea/training_tasks.h"
#include "train/task_batches.h"

namespace fovea {
namespace {

// Batches whose pairs are sorted by length among this many batches: few pads, and another mixture in
// every epoch.
constexpr std::size_t kPoolBatches = 32;

class TranslationData final : public TrainingData {
 public:
  explicit TranslationData(const TranslationTask& task) : task_(task) {}

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    const auto size = static_cast<std::size_t>(task_.batch), count = task_.pairs->size();
    const Index per_epoch = static_cast<Index>((count + size - 1) / size);
    const std::vector<std::size_t> order = order_of_epoch(seed, number / per_epoch);
    const std::size_t begin = static_cast<std::size_t>(number % per_epoch) * size;
    return batch_of({order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(std::min(count, begin + size))});
  }

 private:
  const TokenPair& pair(std::size_t i) const { return (*task_.pairs)[i]; }
  std::size_t length(std::size_t i) const { return pair(i).source.size() + 2 * pair(i).target.size(); }

  static void shuffle(std::vector<std::size_t>& list, Random& random) {
    for (std::size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
    }
  }

  // All pairs, shuffled; those of a batch are about as long as each other. Milliseconds, so that a batch
  // is a function of its number alone.
  std::vector<std::size_t> order_of_epoch(std::uint64_t seed, Index epoch) const {
    Random random = generator_of(seed, epoch);
    std::vector<std::size_t> order(task_.pairs->size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random);
    const auto size = static_cast<std::size_t>(task_.batch), pool = kPoolBatches * size;
    for (std::size_t begin = 0; begin < order.size(); begin += pool) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), begin + pool));
      std::stable_sort(first, last, [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
    }
    // Short batches and long ones in any order; the last one, which is smaller, stays the last.
    std::vector<std::size_t> batches(order.size() / size), mixed;
    std::iota(batches.begin(), batches.end(), std::size_t{0});
    shuffle(batches, random);
    for (const std::size_t each : batches) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(each * size);
      mixed.insert(mixed.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    mixed.insert(mixed.end(), order.begin() + static_cast<std::ptrdiff_t>(mixed.size()), order.end());
    return mixed;
  }

  TrainingBatch batch_of(const std::vector<std::size_t>& chosen) const {
    std::size_t longest_source = 1, longest_target = 1;
    for (const std::size_t i : chosen) {
      longest_source = std::max(longest_source, pair(i).source.size());
      longest_target = std::max(longest_target, pair(i).target.size());
    }
    const auto rows = static_cast<Index>(chosen.size());
    const Shape source = {rows, static_cast<Index>(longest_source)},
                target = {rows, static_cast<Index>(longest_target)};
    TrainingBatch batch = {Ids::filled(source, task_.pad_id), Ids::filled(target, kIgnored),
                           Flags::filled(source, 0), Ids(), Ids::filled(target, task_.pad_id)};
    for (Index row = 0; row < rows; ++row) {
      const TokenPair& each = pair(chosen[static_cast<std::size_t>(row)]);
      for (std::size_t n = 0; n < each.source.size(); ++n) {
        batch.ids(row, static_cast<Index>(n)) = each.source[n];
        batch.real(row, static_cast<Index>(n)) = 1;
      }
      for (std::size_t t = 0; t < each.target.size(); ++t) {
        batch.decoder_ids(row, static_cast<Index>(t)) = t == 0 ? task_.start_id : each.target[t - 1];
        batch.targets(row, static_cast<Index>(t)) = each.target[t];
      }
    }
    return batch;
  }

  TranslationTask task_;  // keeps the pairs
};

}  // namespace

std::shared_ptr<const TrainingData> training_data(const TranslationTask& task) {
  if (task.pairs == nullptr || task.pairs->empty()) fail("[train] there are no pairs to train on");
  if (task.batch < 1 || task.batch > 1'000'000) {
    fail("[train] batches of {} pairs, expected at least one", task.batch);
  }
  for (std::size_t i = 0; i < task.pairs->size(); ++i) {
    const TokenPair& pair = (*task.pairs)[i];
    if (pair.source.empty() || pair.target.empty()) fail("[train] pair {} has a side without tokens", i);
  }
  return std::make_shared<TranslationData>(task);
}

}  // namespace fovea
