// Studies named on the command line.
#pragma once

#include <string>
#include <vector>

#include "fovea/study.h"

namespace fovea::command {

// Throws Error for a file that is no study, and UsageError for more of them than are shown.
std::vector<Study> load_studies(const std::vector<std::string>& paths);

}  // namespace fovea::command
