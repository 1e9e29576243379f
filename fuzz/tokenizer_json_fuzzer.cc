// Any bytes, taken for a tokenizer.json: read and used, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "fovea/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::Tokenizer tokenizer = fovea::Tokenizer::from_json(bytes);
    const fovea::Encoding encoding =
        tokenizer.encode("It's a\tTest: 中文 e\u0301 <mask>\xFF", bytes.substr(0, 60));
    tokenizer.decode(encoding.ids, size % 2 == 0);
  } catch (const fovea::Error&) {
  }
  return 0;
}
