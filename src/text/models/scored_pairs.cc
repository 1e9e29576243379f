#include "text/models/scored_pairs.h"

#include <algorithm>
#include <bit>
#include <string>

#include "text/models/byte_tokens.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

using Symbol = Workspace::Symbol;
using Merge = Workspace::Merge;

constexpr std::uint32_t kEnd = UINT32_MAX;

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
    for (const Symbol& symbol : work.symbols) {
      if (symbol.id != kNoToken) tokens.push_back({symbol.id, symbol.begin, symbol.end});
    }
  }

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

  void merge_all(Workspace& work) const {
    std::vector<Symbol>& symbols = work.symbols;
    std::vector<Merge>& heap = work.merges;
    heap.clear();
    std::string buffer;
    const auto later = [](const Merge& a, const Merge& b) { return a.order > b.order; };
    const auto push = [&](std::uint32_t left, std::uint32_t right) {
      if (left == kEnd || right == kEnd) return;
      const TokenId id = together(symbols[left].id, symbols[right].id, buffer);
      if (id == kNoToken) return;
      const std::uint64_t order =
          std::uint64_t{falling(scores_[static_cast<std::size_t>(id)])} << 32 | left;
      heap.push_back({order, id, left});
      std::push_heap(heap.begin(), heap.end(), later);
    };
    const auto size = static_cast<std::uint32_t>(symbols.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      symbols[i].previous = i == 0 ? kEnd : i - 1;
      symbols[i].next = i + 1 == size ? kEnd : i + 1;
    }
    for (std::uint32_t i = 0; i + 1 < size; ++i) push(i, i + 1);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const Merge merge = heap.back();
      heap.pop_back();
      Symbol& left = symbols[merge.place];
      if (left.id == kNoToken || left.next == kEnd) continue;  // merged away, or the last one by now
      Symbol& right = symbols[left.next];
      if (together(left.id, right.id, buffer) != merge.id) continue;  // another pair by now
      left.id = merge.id;
      left.end = right.end;
      left.next = right.next;
      right.id = kNoToken;
      if (left.next != kEnd) symbols[left.next].previous = merge.place;
      push(left.previous, merge.place);
      push(merge.place, left.next);
    }
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
