#include "text/models/word_piece.h"

#include <algorithm>

#include "text/models/trie.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

class WordPiece final : public TokenModel {
 public:
  WordPiece(const TokenTable& tokens, const WordPieceOptions& options) : options_(options) {
    std::vector<Trie::Key> beginnings, continuations;
    for (TokenId id = 0; id < tokens.end(); ++id) {
      if (!tokens.contains(id)) continue;
      const std::string_view token = tokens.token(id);
      beginnings.emplace_back(token, id);
      if (token.starts_with(options.continuation)) {
        continuations.emplace_back(token.substr(options.continuation.size()), id);
      }
    }
    beginnings_ = Trie(std::move(beginnings));
    continuations_ = Trie(std::move(continuations));
  }

  void tokenize(std::string_view word, Workspace&, std::vector<Token>& tokens) const override {
    const auto size = static_cast<std::uint32_t>(word.size());
    const std::size_t before = tokens.size();
    bool known = !is_too_long(word);
    for (std::uint32_t at = 0; known && at < size;) {
      const Trie& trie = at == 0 ? beginnings_ : continuations_;
      const Trie::Match match = trie.longest_prefix(word.substr(at));
      known = match.length > 0;
      const std::uint32_t end = at + static_cast<std::uint32_t>(match.length);
      tokens.push_back({match.value, at, end});
      at = end;
    }
    if (known) return;
    tokens.resize(before);
    tokens.push_back({options_.unknown, 0, size});
  }

  TokenId unknown() const override { return options_.unknown; }

 private:
  bool is_too_long(std::string_view word) const {
    if (static_cast<std::int64_t>(word.size()) <= options_.longest_word) return false;
    const auto characters =
        std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(c); });
    return characters > options_.longest_word;
  }

  WordPieceOptions options_;
  Trie beginnings_, continuations_;
};

}  // namespace

std::unique_ptr<TokenModel> make_word_piece(const TokenTable& tokens, const WordPieceOptions& options) {
  return std::make_unique<WordPiece>(tokens, options);
}

}  // namespace fovea
