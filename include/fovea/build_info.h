// How this library was built, and what it stands on.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"

namespace fovea {

struct FOVEA_API LinkedPart {
  std::string name;     // "Highway"
  std::string version;  // of what is loaded, where it can be asked; else of the headers it was built with
};

struct FOVEA_API BuildInfo {
  std::string version;     // of fovea
  std::string compiler;    // "GCC 12.2.0"
  std::string build;       // "release" or "debug" (with assertions)
  std::string sanitizers;  // "address", "thread", or empty
  std::vector<LinkedPart> parts;
};

FOVEA_API BuildInfo build_info();

}  // namespace fovea
