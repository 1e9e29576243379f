// From the tokens of one or two texts to the encoding: cut, special tokens around, padded.
#pragma once

#include "fovea/tokenizer.h"
#include "text/steps/encode_sequence.h"

namespace fovea {

// `second` is null for a single text.
Encoding assemble_encoding(const TokenizerParts& parts, EncodedText first, EncodedText* second,
                           const EncodeOptions& options);

// Fills up to `length`; longer ones stay as they are.
void pad_encoding(Encoding& encoding, Index length, const TokenizerParts& parts,
                  const EncodeOptions& options);

}  // namespace fovea
