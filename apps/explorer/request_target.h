// What stands between GET and HTTP/1.1.
#pragma once

#include <string>
#include <string_view>

#include "parameters.h"

namespace fovea::explorer {

struct RequestTarget {
  std::string path;  // decoded: may have any byte, also NUL
  Parameters parameters;
};

// "/api/mask?n=3&expression=a%20b". A percent sign without two digits stands for itself.
RequestTarget parse_target(std::string_view target);

}  // namespace fovea::explorer
