// The version of the library.
#pragma once

#include "fovea/api.h"

#define FOVEA_VERSION_MAJOR 0
#define FOVEA_VERSION_MINOR 1
#define FOVEA_VERSION_PATCH 0

namespace fovea {

FOVEA_API const char* version();  // "0.1.0", of the library that is linked

}  // namespace fovea
