// Unigram: of all ways to spell a word with tokens, the one with the highest sum of scores.
#pragma once

#include <memory>
#include <vector>

#include "text/models/token_model.h"

namespace fovea {

struct UnigramOptions {
  TokenId unknown = kNoToken;
  bool byte_fallback = false;  // unknown characters become <0x..> tokens, if there are such
};

// `scores` by id. Neighbouring unknown characters become one token.
std::unique_ptr<TokenModel> make_unigram(const TokenTable& tokens, std::vector<double> scores,
                                         const UnigramOptions& options);

}  // namespace fovea
