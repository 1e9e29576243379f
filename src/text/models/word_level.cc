#include "text/models/word_level.h"

namespace fovea {
namespace {

class WordLevel final : public TokenModel {
 public:
  WordLevel(const TokenTable& tokens, TokenId unknown) : tokens_(tokens), unknown_(unknown) {}

  void tokenize(std::string_view word, Workspace&, std::vector<Token>& tokens) const override {
    const TokenId id = tokens_.find(word);
    tokens.push_back({id == kNoToken ? unknown_ : id, 0, static_cast<std::uint32_t>(word.size())});
  }

  TokenId unknown() const override { return unknown_; }

 private:
  TokenTable tokens_;  // its own: added tokens are no words
  TokenId unknown_;
};

}  // namespace

std::unique_ptr<TokenModel> make_word_level(const TokenTable& tokens, TokenId unknown) {
  return std::make_unique<WordLevel>(tokens, unknown);
}

}  // namespace fovea
