// Small things done to the words of a command line.
#pragma once

#include <string>
#include <vector>

namespace fovea::command {

// "a,b" → "a", "b". A list without separators is one item, also if it is empty.
std::vector<std::string> split_list(const std::string& list, char separator = ',');

}  // namespace fovea::command
