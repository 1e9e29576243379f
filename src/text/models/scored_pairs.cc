#include "text/models/scored_pairs.h"

#include <algorithm>
#include <bit>
#include <string>

#include "text/models/byte_tokens.h"
#include "text/models/pair_merging.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

using Symbol = Workspace::Symbol;

// Unsigned numbers in falling order of the scores.
std::uint32_t falling(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score == 0 ? 0.0f : score);
  return bits & 0x80000000u ? bits : ~(bits | 0x80000000u);
}

class ScoredPairs final : public TokenModel {
 public:
  ScoredPairs(const TokenTable& tokens, std::vector<float> scores, std::vector<bool> mergeable,
              const ScoredPairsOptions& options)
      : options_(options),
        tokens_(tokens),
        scores_(std::move(scores)),
        mergeable_(std::move(mergeable)),
        byte_tokens_(find_byte_tokens(tokens)) {}

  void tokenize(std::string_view word, Workspace& work, std::vector<Token>& tokens) const override {
    spell(word, work.symbols);
    merge_all(work);
    for (const Symbol& symbol : work.symbols) tokens.push_back({symbol.id, symbol.begin, symbol.end});
  }

  TokenId unknown() const override { return options_.unknown; }

 private:
  void spell(std::string_view word, std::vector<Symbol>& symbols) const {
    symbols.clear();
    for (std::size_t at = 0; at < word.size();) {
      const auto begin = static_cast<std::uint32_t>(at);
      next_code_point(word, at);
      const auto end = static_cast<std::uint32_t>(at);
      const TokenId id = tokens_.find(word.substr(begin, end - begin));
      if (id != kNoToken) {
        symbols.push_back({id, begin, end, 0, 0});
        continue;
      }
      for (std::uint32_t byte = begin; byte < end; ++byte) {
        const TokenId fallback = byte_tokens_[static_cast<unsigned char>(word[byte])];
        const bool whole = fallback == kNoToken;
        if (!whole) {
          symbols.push_back({fallback, byte, byte + 1, 0, 0});
        } else if (options_.unknown != kNoToken) {
          symbols.push_back({options_.unknown, byte, end, 0, 0});
        }
        if (whole) break;
      }
    }
  }

  // The token that two others are together.
  TokenId together(TokenId left, TokenId right, std::string& buffer) const {
    const std::string_view first = tokens_.token(left), second = tokens_.token(right);
    if (first.size() + second.size() > tokens_.longest()) return kNoToken;
    buffer.assign(first);
    buffer += second;
    const TokenId id = tokens_.find(buffer);
    return id != kNoToken && mergeable_[static_cast<std::size_t>(id)] ? id : kNoToken;
  }

  // The highest score first.
  void merge_all(Workspace& work) const {
    std::string buffer;
    merge_neighbours(work, [&](TokenId left, TokenId right) -> PairTable::Result {
      const TokenId id = together(left, right, buffer);
      if (id == kNoToken) return {};
      return {falling(scores_[static_cast<std::size_t>(id)]), id};
    });
  }

  ScoredPairsOptions options_;
  TokenTable tokens_;
  std::vector<float> scores_;
  std::vector<bool> mergeable_;
  ByteTokens byte_tokens_;
};

}  // namespace

std::unique_ptr<TokenModel> make_scored_pairs(const TokenTable& tokens, std::vector<float> scores,
                                              std::vector<bool> mergeable,
                                              const ScoredPairsOptions& options) {
  return std::make_unique<ScoredPairs>(tokens, std::move(scores), std::move(mergeable), options);
}

}  // namespace fovea
