// Any text: a mask or an Error. A mask that parses must also answer for itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "fovea/mask.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const fovea::Mask mask = fovea::parse_mask(std::string_view(reinterpret_cast<const char*>(data), size));
    mask.describe(5, 5);
    mask.classify({0, 0, 0, 3, 1, 7}, 4, 7);
  } catch (const fovea::Error&) {  // the expected answer to nonsense
  }
  return 0;
}
