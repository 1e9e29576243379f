#include "text/models/unigram.h"

#include <algorithm>

#include "core/fail.h"
#include "text/models/byte_tokens.h"
#include "text/models/trie.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

using Path = Workspace::Path;

constexpr double kUnknownPenalty = 10;  // below the worst token, as in SentencePiece

class Unigram final : public TokenModel {
 public:
  Unigram(const TokenTable& tokens, std::vector<double> scores, const UnigramOptions& options)
      : options_(options), scores_(std::move(scores)), byte_tokens_(find_byte_tokens(tokens)) {
    std::vector<Trie::Key> keys;
    for (TokenId id = 0; id < tokens.end(); ++id) {
      if (tokens.contains(id) && tokens.find(tokens.token(id)) == id)
        keys.emplace_back(tokens.token(id), id);
    }
    trie_ = Trie(std::move(keys));
    const auto lowest = std::min_element(scores_.begin(), scores_.end());
    unknown_score_ = (lowest == scores_.end() ? 0 : *lowest) - kUnknownPenalty;
  }

  void tokenize(std::string_view word, Workspace& work, std::vector<Token>& tokens) const override {
    find_best_paths(word, work.paths);
    // Backwards along the best path; unknown characters join.
    std::vector<Token>& path = work.tokens;
    path.clear();
    for (auto end = static_cast<std::uint32_t>(word.size()); end > 0;) {
      const Path& last = work.paths[end];
      const bool joins = last.id == options_.unknown && !path.empty() && path.back().id == options_.unknown;
      if (joins) {
        path.back().begin = last.begin;
      } else {
        path.push_back({last.id, last.begin, end});
      }
      end = last.begin;
    }
    std::reverse(path.begin(), path.end());
    for (const Token& token : path) put(word, token, tokens);
  }

  TokenId unknown() const override { return options_.unknown; }

 private:
  void find_best_paths(std::string_view word, std::vector<Path>& paths) const {
    paths.assign(word.size() + 1, Path{0, 0, kNoToken});
    for (std::size_t begin = 0, next = 0; begin < word.size(); begin = next) {
      next_code_point(word, next);
      const double until_here = paths[begin].score;
      bool has_single = false;
      const auto offer = [&](std::size_t end, double score, TokenId id) {
        Path& path = paths[end];
        if (path.id == kNoToken || score > path.score)
          path = {score, static_cast<std::uint32_t>(begin), id};
      };
      trie_.for_each_prefix(word.substr(begin), [&](std::size_t length, TokenId id) {
        offer(begin + length, until_here + scores_[static_cast<std::size_t>(id)], id);
        has_single = has_single || begin + length == next;
      });
      if (has_single) continue;
      if (options_.unknown == kNoToken) {
        fail("[tokenizer] the character at byte {} of a word has no token, and there is no unknown token",
             begin);
      }
      offer(next, until_here + unknown_score_, options_.unknown);
    }
  }

  void put(std::string_view word, const Token& token, std::vector<Token>& tokens) const {
    if (token.id != options_.unknown || !options_.byte_fallback) {
      tokens.push_back(token);
      return;
    }
    const std::string_view text = word.substr(token.begin, token.end - token.begin);
    const auto id_of = [&](char c) { return byte_tokens_[static_cast<unsigned char>(c)]; };
    if (std::any_of(text.begin(), text.end(), [&](char c) { return id_of(c) == kNoToken; })) {
      tokens.push_back(token);
      return;
    }
    for (const char c : text) tokens.push_back({id_of(c), token.begin, token.end});
  }

  UnigramOptions options_;
  std::vector<double> scores_;
  ByteTokens byte_tokens_;
  Trie trie_;
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(const TokenTable& tokens, std::vector<double> scores,
                                         const UnigramOptions& options) {
  return std::make_unique<Unigram>(tokens, std::move(scores), options);
}

}  // namespace fovea
