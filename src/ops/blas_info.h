// What the BLAS says of itself.
#pragma once

#include <string>

namespace fovea {

std::string blas_config();   // "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64"
std::string blas_version();  // "0.3.21"

}  // namespace fovea
