// Trains a GPT-2 of 26,000 parameters to sort digits, then lets it sort one row.
// The task is "4 2 7 1 → 1 2 4 7": every output digit has to be found among the inputs, which is what
// attention does.
#include <fovea/fovea.h>

#include <cstdio>

using namespace fovea;

int main() {
  const SortTask task{.digits = 4, .batch = 64};
  const TrainableConfig config{.family = ModelFamily::gpt2,
                               .vocabulary = kSortVocabulary,
                               .layers = 2,
                               .heads = 2,
                               .width = 32,
                               .max_tokens = 8};
  TrainingOptions options;
  options.steps = 500;
  options.rate = 5e-3;
  options.warmup = 20;
  // Batches are a function of seed and step: the same seed repeats the same training, bit for bit.
  Trainer trainer(TrainableModel(config, Random(1)), options, training_data(task), training_data(task));

  double first = 0, last = 0;
  trainer.run({.on_step = [&](const TrainingStep& step) {
    if (step.step == 1) first = step.loss;
    last = step.loss;
  }});
  std::printf("the loss fell %s\n", last < first / 5 ? "to less than a fifth" : "too little");
  std::printf("digits right on new rows: %s\n",
              trainer.evaluate().accuracy > 0.95 ? "more than 95 %" : "too few");

  // The trained model as one that runs, generates, and can be captured and drawn like any other.
  const Model model = trainer.model().to_model();
  GenerationOptions generation;
  generation.max_tokens = 4;
  const std::vector<Index> sorted = generate(model, {4, 2, 7, 1}, generation).ids;
  std::printf("4 2 7 1 →");
  for (const Index digit : sorted) std::printf(" %lld", static_cast<long long>(digit));
  std::printf("\n");
}
