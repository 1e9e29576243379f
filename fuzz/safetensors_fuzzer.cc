// Any bytes, taken for a safetensors file: read, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "fovea/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    fovea::parse_safetensors(bytes, "[safetensors]");
  } catch (const fovea::Error&) {
  }
  return 0;
}
