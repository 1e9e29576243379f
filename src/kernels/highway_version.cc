#include "kernels/highway_version.h"

#include <fmt/core.h>
#include <hwy/highway.h>

namespace fovea {

std::string highway_version() { return fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH); }

}  // namespace fovea
