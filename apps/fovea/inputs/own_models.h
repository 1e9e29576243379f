// Models that come with the command, and those that somebody put beside the fetched ones.
#pragma once

#include <string>
#include <vector>

#include "texts/message.h"

namespace fovea::command {

// Trained by `make models`, installed with the command: there without a network.
struct OwnModel {
  std::string name;  // "sort"
  Message what;
};
const std::vector<OwnModel>& own_models();

// Its folder; "" if it is not there, as where only the program was copied.
std::string own_model_folder(const std::string& name);

// Names of the folders with a model in models_folder() that nobody knows by name.
std::vector<std::string> further_models();

}  // namespace fovea::command
