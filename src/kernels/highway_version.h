// The version of Highway: only the kernels may include it.
#pragma once

#include <string>

namespace fovea {

std::string highway_version();  // "1.0.3", of the headers

}  // namespace fovea
