// SentencePiece's byte-pair encoding: of all neighbours that together are a token, those with the highest
// score merge first.
#pragma once

#include <memory>
#include <vector>

#include "text/models/token_model.h"

namespace fovea {

struct ScoredPairsOptions {
  TokenId unknown = kNoToken;  // for characters without a token and without byte tokens
};

// `scores` by id. Only ids for which `mergeable` is true are results of a merge. Characters without a token
// become byte tokens <0x..>, where there are such.
std::unique_ptr<TokenModel> make_scored_pairs(const TokenTable& tokens, std::vector<float> scores,
                                              std::vector<bool> mergeable,
                                              const ScoredPairsOptions& options);

}  // namespace fovea
