// Any bytes, taken for a tar: read, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/tar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto stream = fovea::stream_of(bytes, "[corpus]");
    fovea::TarReader tar(*stream);
    fovea::TarMember member;
    char part[100];
    while (tar.next(member)) {
      while (member.is_file && tar.read(part, sizeof part) > 0) {
      }
    }
  } catch (const fovea::Error&) {
  }
  return 0;
}
