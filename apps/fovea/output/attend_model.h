// fovea attend --model: the weights of every layer and head of a model that reads a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "inputs/model_input.h"

namespace fovea::command {

struct ModelAttention {
  std::string model;
  LoadArguments load;
  std::vector<std::string> texts;    // arguments: texts, files or "-"
  std::optional<Index> layer, head;  // none: all
  std::string output;
  bool verbose = false;  // the path of every attention, on standard error
  bool json = false;     // names and shapes of what was written, on standard output
};

// Throws UsageError unless the name ends in .npz, .safetensors or .json.
void check_model_output(const std::string& path);

void attend_by_model(const Context& context, const ModelAttention& request);

}  // namespace fovea::command
