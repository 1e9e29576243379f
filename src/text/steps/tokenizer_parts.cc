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
  for (AddedToken& token : tokens) {
    const TokenId known = parts.tokens.find(token.content);
    if (known == kNoToken) {
      parts.tokens.add(token.content, token.id);
    } else {
      token.id = known;  // whatever the file says: of the model, or of an added token that came first
    }
  }
  parts.added = AddedTokens(std::move(tokens), parts.normalizers);
}

}  // namespace fovea
