// The cases of `fovea bench train`.
#pragma once

#include <string>
#include <vector>

#include "competitors/peer_group.h"
#include "contest.h"
#include "fovea/trainable_model.h"

namespace fovea::bench {

inline constexpr Index kComparedSteps = 20;  // whose losses must agree before anything is timed
inline constexpr double kTrainingRate = 3e-4;
inline constexpr std::uint64_t kTrainingSeed = 1;  // of the weights everybody starts with

// GPT-2's layout and kComparedSteps batches of random tokens, used in turn.
struct TrainingCase {
  CaseInfo info;
  TrainableConfig config;
  std::vector<TrainingBatch> batches;
};

// Every case whose name has one of the words in it, for so many threads; all if the only word is "train".
std::vector<TrainingCase> training_cases(const std::vector<std::string>& wanted, int threads);
std::vector<ScenarioInfo> list_training(const std::vector<std::string>& wanted);

// Results are the losses of the first steps; the memory is that of parameters, gradients, moments and
// everything a step needs.
Contender training_by_fovea(const TrainingCase& c);

// PyTorch, eager ("pytorch") and compiled ("compiled"), in a process of that Python.
class TrainingPeers {
 public:
  TrainingPeers(const std::string& python, int threads);
  const std::vector<CompetitorInfo>& competitors() const {
    return peers_.competitors();
  }  // those absent too
  std::vector<Contender> contenders(const TrainingCase& c, int number);
  void release() { peers_.release(); }  // forgets all cases

 private:
  PeerGroup peers_;
};

}  // namespace fovea::bench
