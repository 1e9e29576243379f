// Any bytes, taken for a tokenizer.bin of llama2.c and for a model of SentencePiece: read and used, or
// refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "fovea/tokenizer.h"

namespace {

template <typename Load>
void try_with(std::string_view bytes, const Load& load) {
  try {
    const fovea::Tokenizer tokenizer = load(bytes);
    tokenizer.decode(tokenizer.encode("It's a\tTest: 中文 e\u0301 </s>\xFF", bytes.substr(0, 60)).ids);
  } catch (const fovea::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_with(bytes, [](std::string_view b) { return fovea::Tokenizer::from_llama2c(b); });
  try_with(bytes, [](std::string_view b) { return fovea::Tokenizer::from_sentence_piece(b); });
  return 0;
}
