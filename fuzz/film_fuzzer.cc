// Any bytes, taken for a film: read, or refused with an Error. What is read can be looked at.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "fovea/film.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::Film film = fovea::Film::parse(bytes, "[film]", 1'000'000);
    const fovea::Run run = film.run(static_cast<fovea::Index>(film.frames().size()) - 1);
    for (const fovea::AttentionKind kind : run.kinds()) {
      static_cast<void>(run.cells({.kind = kind}, 8));
      static_cast<void>(run.query_labels(kind));
    }
  } catch (const fovea::Error&) {
  }
  return 0;
}
