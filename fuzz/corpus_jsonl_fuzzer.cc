// Any bytes, taken for JSONL: rows, broken rows, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "text/corpus/corpus_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto reader = fovea::read_jsonl(fovea::stream_of(bytes, "[corpus]"), "");
    for (fovea::CorpusRow row; reader->next(row);) row = {};
  } catch (const fovea::Error&) {
  }
  return 0;
}
