#include "fovea/module_file.h"

#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "fovea/safetensors.h"

namespace fovea {
namespace {

using Parameters = MultiHeadAttention::Parameters;

struct NamedParameter {
  const char* name;
  Tensor Parameters::*tensor;
};
constexpr NamedParameter kParameters[] = {{"in_proj_weight", &Parameters::in_proj_weight},
                                          {"out_proj.weight", &Parameters::out_proj_weight},
                                          {"in_proj_bias", &Parameters::in_proj_bias},
                                          {"out_proj.bias", &Parameters::out_proj_bias}};

// What is wrong with this entry of the file for a tensor of this shape: "; layer.bias is missing, ..".
std::string complaint(const NamedArrays& arrays, const std::string& name, const Shape& expected) {
  const auto entry =
      std::find_if(arrays.begin(), arrays.end(), [&](const auto& e) { return e.name == name; });
  if (entry == arrays.end()) return fmt::format("; {} is missing, expected {}", name, expected.to_string());
  if (!entry->is_tensor()) {
    return fmt::format("; {} holds integers, expected float {}", name, expected.to_string());
  }
  if (entry->shape() == expected) return "";
  return fmt::format("; {} is {}, expected {}", name, entry->shape().to_string(), expected.to_string());
}

}  // namespace

void save_module(const std::string& path, const MultiHeadAttention& module, const std::string& prefix) {
  NamedArrays arrays;
  for (const auto& [name, tensor] : kParameters) {
    const Tensor& values = module.parameters().*tensor;
    if (!values.empty()) arrays.add(prefix + name, values);
  }
  save_safetensors(path, arrays);
}

void load_module(const std::string& path, MultiHeadAttention& module, const std::string& prefix) {
  const NamedArrays arrays = load_safetensors(path);
  Parameters loaded;
  std::string wrong;
  for (const auto& [name, tensor] : kParameters) {
    const Tensor& present = module.parameters().*tensor;
    if (!present.empty()) {
      const std::string complaints = complaint(arrays, prefix + name, present.shape());
      if (complaints.empty()) loaded.*tensor = arrays.tensor(prefix + name);
      wrong += complaints;
    } else if (arrays.contains(prefix + name)) {
      wrong += fmt::format("; {}{} is there, but the module has no biases", prefix, name);
    }
  }
  if (!wrong.empty()) fail("[multi-head] {}: parameters do not fit{}", path, wrong);
  module.set_parameters(std::move(loaded));
}

}  // namespace fovea
