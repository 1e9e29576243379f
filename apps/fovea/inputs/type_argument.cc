#include "inputs/type_argument.h"

#include <vector>

namespace fovea::command {

void declare_type(OptionList& options, const std::string& names, std::optional<FloatType>& target,
                  Message help) {
  const std::vector<FloatType> types = {FloatType::float32, FloatType::float16, FloatType::bfloat16,
                                        FloatType::int8};
  std::vector<std::vector<std::string>> choices;
  for (const FloatType type : types) choices.push_back({to_string(type)});
  choices[0].push_back("f32"), choices[1].push_back("f16"), choices[2].push_back("bf16");
  options.named_choice(
      names, "TYPE", choices, [types, &target](std::size_t chosen) { target = types[chosen]; },
      std::move(help));
}

}  // namespace fovea::command
