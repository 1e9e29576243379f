// Byte-pair encoding: characters (or bytes) merge in pairs, in the order in which the pairs were learned.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/models/token_model.h"

namespace fovea {

struct BytePairOptions {
  bool byte_level = false;     // the tokens are written in GPT-2's alphabet, words are spelled in bytes
  TokenId unknown = kNoToken;  // for characters without a token; none: they are left out
  bool fuse_unknown = false;   // neighbours become one unknown token
  bool byte_fallback = false;  // characters without a token become <0x..> tokens, if there are such
  bool ignore_merges = false;  // a word that is a token stays whole, whatever the merges say
};

// One merge: two tokens, whose concatenation is a token too.
struct MergeRule {
  TokenId left, right, result;
};

std::unique_ptr<TokenModel> make_byte_pair(const TokenTable& tokens, const std::vector<MergeRule>& merges,
                                           const BytePairOptions& options);

}  // namespace fovea
