// Options whose value is the type in which numbers are kept.
#pragma once

#include <optional>
#include <string>

#include "fovea/float_type.h"
#include "options.h"

namespace fovea::command {

// float32, float16, bfloat16 or int8; f32, f16 and bf16 are the same.
void declare_type(OptionList& options, const std::string& names, std::optional<FloatType>& target,
                  Message help);

}  // namespace fovea::command
