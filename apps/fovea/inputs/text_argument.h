// Texts given on the command line.
#pragma once

#include <string>
#include <vector>

namespace fovea::command {

// The argument itself; or what the file of that name holds; or standard input for "-".
std::string text_of_argument(const std::string& argument);
std::vector<std::string> texts_of_arguments(const std::vector<std::string>& arguments);

}  // namespace fovea::command
