// Any bytes, taken for an npy file: read, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/npy_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::MemorySource source(bytes, "[npy]");
    fovea::decode(fovea::parse_npy(source, "[npy]"), "[npy]");
  } catch (const fovea::Error&) {
  }
  return 0;
}
