#include "inputs/study_input.h"

#include <fmt/core.h>

#include "command.h"
#include "explorer/study_store.h"

namespace fovea::command {

std::vector<Study> load_studies(const std::vector<std::string>& paths) {
  if (paths.size() > explorer::kMostStudies) {
    throw UsageError(
        fmt::format("--study: got {}, at most {} are shown", paths.size(), explorer::kMostStudies));
  }
  std::vector<Study> studies;
  for (const std::string& path : paths) studies.push_back(Study::load(path));
  return studies;
}

}  // namespace fovea::command
