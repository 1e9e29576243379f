// The same bits for every number of threads, and with activations computed again: on batches that are cut
// into several tasks everywhere, with dropout, through two steps.
#include <gtest/gtest.h>

#include "fovea/threads.h"
#include "fovea/train.h"
#include "train/train_testing.h"

namespace fovea {
namespace {

TrainableConfig wide_config(ModelFamily family) {
  return {.family = family,
          .vocabulary = 301,  // rows of logits in several groups
          .layers = 2,
          .heads = 4,
          .width = 72,
          .max_tokens = 150,
          .kv_heads = family == ModelFamily::llama ? 2 : 0,
          .dropout = 0.2f};
}

// 450 rows: four blocks of column sums, eight of norms; some pads, some ignored targets.
TrainingBatch long_batch() {
  Random random(31);
  TrainingBatch batch = {Ids::filled({3, 150}, 0), Ids::filled({3, 150}, kIgnored), Flags()};
  std::vector<std::uint8_t> real(450, 1);
  for (Index i = 0; i < 450; ++i) {
    batch.ids.data()[i] = random.below(301);
    if (random.uniform() < 0.8) batch.targets.data()[i] = random.below(301);
    if (i % 150 >= 100 + 20 * (i / 150)) real[static_cast<std::size_t>(i)] = 0;
  }
  batch.real = Flags({3, 150}, real);
  return batch;
}

// Gradients of the second step, then the parameters after it.
std::vector<float> after_two_steps(ModelFamily family, bool recompute) {
  TrainableModel model(wide_config(family), Random(5));
  AdamW optimizer(model);
  const TrainingBatch batch = long_batch();
  std::vector<float> numbers;
  for (std::uint64_t step = 0; step < 2; ++step) {
    model.zero_gradients();
    model.add_gradients(batch,
                        {.label_smoothing = 0.1f, .dropout = true, .seed = step, .recompute = recompute});
    numbers = testing::all_gradients(model);
    optimizer.step(model, 1e-2, 1 / gradient_norm(model));
  }
  const std::vector<float> parameters = testing::all_parameters(model);
  numbers.insert(numbers.end(), parameters.begin(), parameters.end());
  return numbers;
}

TEST(TrainBits, depend_neither_on_the_threads_nor_on_what_is_kept) {
  const int before = thread_count();
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::bert}) {
    set_thread_count(1);
    const std::vector<float> want = after_two_steps(family, false);
    EXPECT_EQ(after_two_steps(family, true), want) << "recomputed, layout " << static_cast<int>(family);
    for (const int threads : {2, 3, 5}) {
      set_thread_count(threads);
      EXPECT_EQ(after_two_steps(family, false), want)
          << threads << " threads, layout " << static_cast<int>(family);
    }
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace fovea
