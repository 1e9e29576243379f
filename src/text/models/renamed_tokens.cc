#include "text/models/renamed_tokens.h"

namespace fovea {
namespace {

class RenamedTokens final : public TokenModel {
 public:
  RenamedTokens(std::unique_ptr<TokenModel> model, const TokenTable& names, TokenTable tokens,
                TokenId unknown)
      : model_(std::move(model)), tokens_(std::move(tokens)), unknown_(unknown) {
    for (TokenId id = 0; id < names.end(); ++id) {
      ids_.push_back(names.contains(id) ? id_of(names.token(id)) : unknown_);
    }
  }

  void tokenize(std::string_view word, Workspace& work, std::vector<Token>& tokens) const override {
    std::vector<Token>& pieces = work.pieces;
    pieces.clear();
    model_->tokenize(word, work, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Token token = pieces[i];
      if (token.id == model_->unknown()) {
        while (i + 1 < pieces.size() && pieces[i + 1].id == token.id) token.end = pieces[++i].end;
        token.id = id_of(word.substr(token.begin, token.end - token.begin));
      } else {
        token.id = ids_[static_cast<std::size_t>(token.id)];
      }
      tokens.push_back(token);
    }
  }

  TokenId unknown() const override { return unknown_; }

 private:
  TokenId id_of(std::string_view name) const {
    const TokenId id = tokens_.find(name);
    return id == kNoToken ? unknown_ : id;
  }

  std::unique_ptr<TokenModel> model_;
  TokenTable tokens_;
  TokenId unknown_;
  std::vector<TokenId> ids_;  // by the model's ids
};

}  // namespace

std::unique_ptr<TokenModel> make_renamed_tokens(std::unique_ptr<TokenModel> model, const TokenTable& names,
                                                TokenTable tokens, TokenId unknown) {
  return std::make_unique<RenamedTokens>(std::move(model), names, std::move(tokens), unknown);
}

}  // namespace fovea
