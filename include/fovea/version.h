// The version of the library.
#pragma once

#define FOVEA_VERSION_MAJOR 0
#define FOVEA_VERSION_MINOR 1
#define FOVEA_VERSION_PATCH 0

namespace fovea {

const char* version();  // "0.1.0", of the library that is linked

}  // namespace fovea
