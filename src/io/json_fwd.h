// The name of a JSON value, for headers that only mention it: the whole of nlohmann's header costs two
// seconds per file.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace fovea {
inline namespace internal {

using Json = nlohmann::json;  // objects come sorted by key

}  // namespace internal
}  // namespace fovea
