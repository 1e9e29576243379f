#include "text/steps/tokenizer_parts.h"

namespace fovea {

TokenId TokenizerParts::pad() const {
  for (const char* name : {"[PAD]", "<pad>", "<|pad|>", "<|endoftext|>"}) {
    const TokenId id = tokens.find(name);
    if (id != kNoToken) return id;
  }
  return kNoToken;
}

void set_added_tokens(TokenizerParts& parts, std::vector<AddedToken> tokens) {
  for (const AddedToken& token : tokens) {
    if (parts.tokens.find(token.content) == kNoToken) parts.tokens.add(token.content, token.id);
  }
  parts.added = AddedTokens(std::move(tokens), parts.normalizers);
}

}  // namespace fovea
