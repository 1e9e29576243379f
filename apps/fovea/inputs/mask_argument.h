// --mask EXPR, the same in every command.
#pragma once

#include <optional>
#include <string>

#include "fovea/mask.h"
#include "options.h"

namespace fovea::command {

void declare_mask(OptionList& options, std::optional<std::string>& target);

// None if not given. An expression that is not understood throws UsageError.
Mask mask_of(const std::optional<std::string>& expression);

}  // namespace fovea::command
