// A model from weights that may lie anywhere.
#pragma once

#include <string>

#include "fovea/model.h"
#include "io/json_fwd.h"
#include "models/weight_files.h"

namespace fovea {
inline namespace internal {

struct FOVEA_PRIVATE_API ModelMaker {
  // Of a config and the weights under their names, which are converted into memory of the model's own.
  // `path` is what messages and Model::path() say.
  static Model make(const Json& config, const WeightFiles& weights, const std::string& name,
                    const std::string& path, const ModelOptions& options = {});
};

}  // namespace internal
}  // namespace fovea
