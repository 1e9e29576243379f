// Any bytes, taken for a JSON text: read, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    fovea::parse_json(bytes, "[json]", {.max_depth = 64, .unique_keys = size % 2 == 0});
  } catch (const fovea::Error&) {
  }
  return 0;
}
