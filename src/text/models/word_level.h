// WordLevel: a word is a token, or unknown.
#pragma once

#include <memory>

#include "text/models/token_model.h"

namespace fovea {

std::unique_ptr<TokenModel> make_word_level(const TokenTable& tokens, TokenId unknown);

}  // namespace fovea
