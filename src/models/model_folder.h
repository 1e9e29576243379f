// What lies in a model's folder.
#pragma once

#include <string>

#include "io/json_fwd.h"
#include "models/weight_files.h"

namespace fovea {

// The config of a folder, with its weights located in `weights`: config.json and safetensors files, or
// llama2.c's model.bin. Throws Error for folders without a model, and for pickled weights, with the command
// that converts them.
Json open_model_folder(const std::string& folder, WeightFiles& weights);

}  // namespace fovea
