// Parameters of a module in a file.
#pragma once

#include <string>

#include "fovea/api.h"
#include "fovea/multi_head_attention.h"

namespace fovea {

// A safetensors file with the names in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias, each
// after `prefix`. Loading throws Error that lists all missing and misshapen tensors and changes nothing
// then.
FOVEA_API void save_module(const std::string& path, const MultiHeadAttention& module,
                           const std::string& prefix = "");
FOVEA_API void load_module(const std::string& path, MultiHeadAttention& module,
                           const std::string& prefix = "");

}  // namespace fovea
