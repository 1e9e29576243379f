// How the command sets off parts of its output.
#pragma once

#include <string>
#include <string_view>

namespace fovea::command {

std::string bold(std::string_view text, bool color);

}  // namespace fovea::command
