// Who trains: fovea, and PyTorch in a process of its own (peers/training.py, peers/serve.py).
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "competitors/handover.h"
#include "fovea/instruction_set.h"
#include "fovea/train.h"
#include "machine/memory_use.h"
#include "train/cases.h"

namespace fovea::bench {

extern const char* const kTrainingPeersScript;  // made a string by the build

namespace {

// A model in training; steps go through the batches in turn.
class TrainingState {
 public:
  explicit TrainingState(const TrainingCase& c)
      : case_(c), model_(c.config, Random(kTrainingSeed)), optimizer_(model_) {}

  double step() {
    const auto next = static_cast<std::size_t>(optimizer_.steps() % kComparedSteps);
    model_.zero_gradients();
    const LossResult result = model_.add_gradients(case_.batches[next]);
    optimizer_.step(model_, kTrainingRate);
    return result.mean();
  }

 private:
  const TrainingCase& case_;
  TrainableModel model_;
  AdamW optimizer_;
};

std::string describe_training(const TrainingCase& c, const PeerProcess& process) {
  const TrainableModel model(c.config, Random(kTrainingSeed));
  JsonWriter json;
  json.begin_object();
  json.key("threads").integer(c.info.threads);
  json.key("layers").integer(c.config.layers);
  json.key("heads").integer(c.config.heads);
  json.key("rate").number(kTrainingRate);
  json.key("arrays").begin_object();
  Handover handover(process, json);
  const Shape shape = {kComparedSteps, c.info.batch, c.info.queries};
  std::vector<Index> ids, targets;
  for (const TrainingBatch& batch : c.batches) {
    ids.insert(ids.end(), batch.ids.values().begin(), batch.ids.values().end());
    targets.insert(targets.end(), batch.targets.values().begin(), batch.targets.values().end());
  }
  handover.array("ids", "int64", shape, ids.data(), 8 * shape.elements());
  handover.array("targets", "int64", shape, targets.data(), 8 * shape.elements());
  for (const TrainableParameter& parameter : model.parameters()) {
    handover.tensor(parameter.name, Tensor::copy_of(model.parameter(parameter.name)));
  }
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace

Contender training_by_fovea(const TrainingCase& c) {
  const auto state = std::make_shared<std::optional<TrainingState>>();
  return {"fovea",
          {true, fmt::format("{}, {} threads", instruction_set(), c.info.threads)},
          [&c, state] {
            Checked checked;
            Tensor losses({kComparedSteps});
            state->reset();
            checked.extra_memory = extra_memory_of([&] {
              state->emplace(c);
              for (Index i = 0; i < kComparedSteps; ++i) losses(i) = static_cast<float>((*state)->step());
            });
            checked.results.push_back(std::move(losses));
            return checked;
          },
          [state](double seconds) { return time_calls([&] { (*state)->step(); }, seconds); }};
}

TrainingPeers::TrainingPeers(const std::string& python, int threads)
    : peers_(python, kTrainingPeersScript, threads, {{"pytorch", "PyTorch"}, {"compiled", "compiled"}}) {}

std::vector<Contender> TrainingPeers::contenders(const TrainingCase& c, int number) {
  return peers_.contenders(number, {kComparedSteps},
                           [&](const PeerProcess& process) { return describe_training(c, process); });
}

}  // namespace fovea::bench
