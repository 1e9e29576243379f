// Parameters of a module in a file.
#pragma once

#include <string>

#include "fovea/multi_head_attention.h"

namespace fovea {

// A safetensors file with the names in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias, each
// after `prefix`. Loading throws Error that lists all missing and misshapen tensors and changes nothing
// then.
void save_module(const std::string& path, const MultiHeadAttention& module, const std::string& prefix = "");
void load_module(const std::string& path, MultiHeadAttention& module, const std::string& prefix = "");

}  // namespace fovea
