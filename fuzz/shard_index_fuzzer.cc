// Any bytes, taken for the index of a sharded model: read, or refused with an Error. Anything else is a
// bug.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fovea/error.h"
#include "models/weight_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const auto& [tensor, file] : fovea::parse_shard_index(text, "[model] index")) {
      if (file.find('/') != file.npos || file == "..") std::abort();  // it must not lead out of the folder
    }
  } catch (const fovea::Error&) {
  }
  return 0;
}
