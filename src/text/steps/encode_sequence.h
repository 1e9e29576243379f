// One text to tokens, without what goes around it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/tokenizer.h"
#include "text/steps/text_characters.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {

struct PlacedToken {
  TokenId id = kNoToken;
  std::int32_t word = 0;
  TextSpan bytes;             // of the original, without white space where the tokenizer wants that
  TextSpan characters;        // likewise
  std::int32_t unknown = -1;  // a place in EncodedText::unknown; -1: the vocabulary knows it
};

struct EncodedText {
  std::vector<PlacedToken> tokens;
  std::vector<std::string> unknown;  // what the text has where a token is unknown
  CharacterCount characters;         // unknown: read as such a token, or left out
};

EncodedText encode_sequence(const TokenizerParts& parts, std::string_view text);

}  // namespace fovea
