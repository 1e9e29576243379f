// One text to tokens, without what goes around it.
#pragma once

#include <string_view>
#include <vector>

#include "fovea/tokenizer.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {

struct PlacedToken {
  TokenId id = kNoToken;
  std::int32_t word = 0;
  TextSpan bytes;       // of the original, without white space where the tokenizer wants that
  TextSpan characters;  // likewise
};

std::vector<PlacedToken> encode_sequence(const TokenizerParts& parts, std::string_view text);

}  // namespace fovea
