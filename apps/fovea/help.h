// Help texts, in either language, with lines of at most `width` columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.h"

namespace fovea::command {

std::string help_of_program(const std::vector<std::unique_ptr<Command>>& commands, const OptionList& global,
                            Language language, int width);
std::string help_of_command(const Command& command, const OptionList& own, const OptionList& global,
                            Language language, int width);

}  // namespace fovea::command
