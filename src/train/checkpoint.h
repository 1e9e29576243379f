// What a checkpoint says beside its tensors, as JSON.
#pragma once

#include <limits>
#include <string>

#include "fovea/train.h"

namespace fovea {

struct CheckpointState {
  TrainableConfig config;
  TrainingOptions options;
  Index step = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  Index evaluations_without_better = 0;
};

// Doubles keep all their bits.
std::string checkpoint_json(const CheckpointState& state);
// Throws one Error "<where>: .." with everything that is missing or wrong.
CheckpointState parse_checkpoint(const std::string& text, const std::string& where);

}  // namespace fovea
