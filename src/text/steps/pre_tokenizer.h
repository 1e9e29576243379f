// Pre-tokenisers of tokenizer.json: they cut a text into words, the pieces that the model sees.
#pragma once

#include <memory>
#include <vector>

#include "text/files/json_field.h"
#include "text/unicode/aligned_text.h"

namespace fovea {

struct SplitText {
  AlignedText text;
  std::vector<ByteSpan> pieces;  // in order, none is empty; what is between them is dropped
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(SplitText& split) const = 0;
};

using PreTokenizers = std::vector<std::unique_ptr<PreTokenizer>>;  // one after the other

enum class PrependScheme { never, first, always };

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer();
std::unique_ptr<PreTokenizer> make_white_space_split();
std::unique_ptr<PreTokenizer> make_space_split();  // at U+0020 alone, as SentencePiece does
void add_byte_level(PreTokenizers& pre_tokenizers, bool add_prefix_space, bool split);
void add_metaspace(PreTokenizers& pre_tokenizers, char32_t replacement, PrependScheme scheme, bool split);

// Appends what tokenizer.json says; null is nothing. Throws Error for a type, a pattern or a setting it
// does not know. `byte_level` becomes true if the words are to be spelled in bytes.
void read_pre_tokenizers(const JsonField& json, PreTokenizers& pre_tokenizers, bool& byte_level);

}  // namespace fovea
