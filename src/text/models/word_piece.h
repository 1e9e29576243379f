// WordPiece: the longest known beginning of the word, then the longest known continuation, and so on.
#pragma once

#include <memory>
#include <string>

#include "text/models/token_model.h"

namespace fovea {

struct WordPieceOptions {
  TokenId unknown = kNoToken;  // for words that cannot be spelled
  std::string continuation = "##";
  std::int64_t longest_word = 100;  // in characters; longer ones are unknown
};

std::unique_ptr<TokenModel> make_word_piece(const TokenTable& tokens, const WordPieceOptions& options);

}  // namespace fovea
