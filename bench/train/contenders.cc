// Who trains: fovea, and PyTorch in a process of its own (peers/training.py, peers/serve.py).
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "competitors/handover.h"
#include "competitors/peer_process.h"
#include "core/fail.h"
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

std::string name_of_training_peer(const std::string& id) {
  return id == "pytorch" ? "PyTorch" : "compiled";
}

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

TrainingPeers::TrainingPeers(const std::string& python, int threads) {
  const auto all_absent = [&](const std::string& reason) {
    process_.reset();
    competitors_.clear();
    for (const char* id : {"pytorch", "compiled"}) {
      competitors_.push_back({id, name_of_training_peer(id), "", "", true, reason});
    }
  };
  if (python.empty()) {
    all_absent(kNotAskedFor);
    return;
  }
  try {
    process_ = std::make_shared<PeerProcess>(python, kTrainingPeersScript, threads);
    for (auto words = process_->answer(); words.front() != "ready"; words = process_->answer()) {
      words.resize(4);
      const bool there = words[0] == "peer";
      competitors_.push_back({words[1], name_of_training_peer(words[1]), there ? words[2] : "", words[3],
                              !there, there ? "" : words[2]});
    }
  } catch (const Error& error) {
    all_absent(error.what());
  }
}

TrainingPeers::~TrainingPeers() = default;

std::vector<Contender> TrainingPeers::contenders(const TrainingCase& c, int number) {
  std::vector<Contender> result;
  for (const CompetitorInfo& info : competitors_) {
    if (info.absent) continue;
    const std::string name = fmt::format("{} {}", info.id, number);
    Contender contender{info.id, {}, {}, {}};
    try {
      const std::string json = describe_training(c, *process_);
      const auto words = process_->ask(fmt::format("prepare {}\n{}", name, json));
      contender.preparation = {words.front() == "ok", words.size() > 1 ? words[1] : ""};
    } catch (const Error& error) {
      contender.preparation = {false, error.what()};
    }
    contender.check = [process = process_, name] {
      const auto words = process->ask("check " + name);
      Checked checked;
      const double extra = words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : -1;
      if (extra >= 0) checked.extra_memory = extra;
      checked.results.push_back(Tensor::uninitialized({kComparedSteps}));
      process->read(0, checked.results.back().data(), 4 * kComparedSteps);
      return checked;
    };
    contender.run = [process = process_, name](double seconds) {
      const auto words = process->ask(fmt::format("run {} {}", name, seconds));
      return words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : 0;
    };
    result.push_back(std::move(contender));
  }
  return result;
}

void TrainingPeers::release() {
  if (process_ != nullptr) process_->ask("release");
}

}  // namespace fovea::bench
