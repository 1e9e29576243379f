// Any bytes, taken for arrays in JSON: read, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/json_arrays.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    fovea::parse_json_arrays(bytes, "[json]", "weights");
  } catch (const fovea::Error&) {
  }
  return 0;
}
