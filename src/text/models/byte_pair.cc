#include "text/models/byte_pair.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "text/models/byte_alphabet.h"
#include "text/models/byte_tokens.h"
#include "text/models/pair_merging.h"
#include "text/models/pair_table.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

using Symbol = Workspace::Symbol;

constexpr std::string_view kMark = "\u2581";  // ▁, where SentencePiece had a space
// Up to here a scan over all pairs per merge beats a heap.
constexpr std::size_t kShortWord = 40;

class BytePair final : public TokenModel {
 public:
  BytePair(const TokenTable& tokens, const std::vector<MergeRule>& merges, const BytePairOptions& options)
      : options_(options), merges_(merges.size()), byte_tokens_(find_byte_tokens(tokens)) {
    for (TokenId id = 0; id < tokens.end(); ++id) {
      if (!tokens.contains(id)) continue;
      if (options.byte_level) {
        const std::optional<std::string> bytes = characters_as_bytes(tokens.token(id));
        if (bytes) words_.add(*bytes, id);
      } else {
        words_.add(tokens.token(id), id);
      }
    }
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      const MergeRule& merge = merges[rank];
      merges_.add(merge.left, merge.right, {static_cast<std::uint32_t>(rank), merge.result});
    }
    if (options.byte_level) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(static_cast<unsigned char>(byte));
        single_bytes_[byte] = words_.find({&c, 1});
      }
    }
    const bool never_unknown = options.byte_fallback && has_all(byte_tokens_);
    cut_at_marks_ =
        !options.byte_level && never_unknown && !options.ignore_merges && marks_begin_tokens(merges);
    stays_whole_ = std::vector<std::atomic<Whole>>(static_cast<std::size_t>(words_.end()));
  }

  void tokenize(std::string_view word, Workspace& work, std::vector<Token>& tokens) const override {
    if (!cut_at_marks_) {
      tokenize_part(word, 0, work, tokens);
      return;
    }
    // No merge crosses from something else to ▁: the text can be cut there, and short parts are quick.
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t end = begin;
      while (word.substr(end).starts_with(kMark)) end += kMark.size();
      end = std::min(word.find(kMark, end), word.size());
      tokenize_part(word.substr(begin, end - begin), static_cast<std::uint32_t>(begin), work, tokens);
      begin = end;
    }
  }

  TokenId unknown() const override { return options_.unknown; }

 private:
  enum class Whole : std::uint8_t { not_known, yes, no };

  // Does ▁ stand in no merged token behind something else?
  bool marks_begin_tokens(const std::vector<MergeRule>& merges) const {
    return std::all_of(merges.begin(), merges.end(), [&](const MergeRule& merge) {
      std::string_view token = words_.token(merge.result);
      while (token.starts_with(kMark)) token.remove_prefix(kMark.size());
      return token.find(kMark) == token.npos;
    });
  }

  // `shift` is where the part begins in the word.
  void tokenize_part(std::string_view part, std::uint32_t shift, Workspace& work,
                     std::vector<Token>& tokens) const {
    const auto size = static_cast<std::uint32_t>(part.size());
    const TokenId whole = part.size() <= words_.longest() ? words_.find(part) : kNoToken;
    if (whole != kNoToken && (options_.ignore_merges || stays_whole(whole) == Whole::yes)) {
      tokens.push_back({whole, shift, shift + size});
      return;
    }
    spell(part, work.symbols);
    merge_all(work);
    if (whole != kNoToken) {
      const bool one = work.symbols.size() == 1 && work.symbols[0].id == whole;
      set_stays_whole(whole, one ? Whole::yes : Whole::no);
    }
    for (const Symbol& symbol : work.symbols)
      tokens.push_back({symbol.id, shift + symbol.begin, shift + symbol.end});
  }

  // What most words are: a token that its own merges lead to. Learned as words come along, by any thread.
  Whole stays_whole(TokenId id) const {
    return stays_whole_[static_cast<std::size_t>(id)].load(std::memory_order_relaxed);
  }
  void set_stays_whole(TokenId id, Whole value) const {
    stays_whole_[static_cast<std::size_t>(id)].store(value, std::memory_order_relaxed);
  }

  void spell(std::string_view word, std::vector<Symbol>& symbols) const {
    symbols.clear();
    const auto size = static_cast<std::uint32_t>(word.size());
    if (options_.byte_level) {
      for (std::uint32_t at = 0; at < size; ++at) {
        put(single_bytes_[static_cast<unsigned char>(word[at])], at, at + 1, symbols);
      }
      return;
    }
    for (std::size_t at = 0; at < size;) {
      const auto begin = static_cast<std::uint32_t>(at);
      next_code_point(word, at);
      const auto end = static_cast<std::uint32_t>(at);
      const TokenId id = words_.find(word.substr(begin, end - begin));
      if (id != kNoToken) {
        symbols.push_back({id, begin, end, 0, 0});
      } else if (options_.byte_fallback && put_bytes(word, begin, end, symbols)) {
        continue;
      } else {
        put(kNoToken, begin, end, symbols);
      }
    }
  }

  void put(TokenId id, std::uint32_t begin, std::uint32_t end, std::vector<Symbol>& symbols) const {
    if (id != kNoToken) {
      symbols.push_back({id, begin, end, 0, 0});
    } else if (options_.unknown != kNoToken) {
      const bool fuse = options_.fuse_unknown && !symbols.empty() &&
                        symbols.back().id == options_.unknown && symbols.back().end == begin;
      if (fuse) {
        symbols.back().end = end;
      } else {
        symbols.push_back({options_.unknown, begin, end, 0, 0});
      }
    }
  }

  bool put_bytes(std::string_view word, std::uint32_t begin, std::uint32_t end,
                 std::vector<Symbol>& symbols) const {
    const auto id_of = [&](std::uint32_t at) { return byte_tokens_[static_cast<unsigned char>(word[at])]; };
    for (std::uint32_t at = begin; at < end; ++at) {
      if (id_of(at) == kNoToken) return false;
    }
    for (std::uint32_t at = begin; at < end; ++at) symbols.push_back({id_of(at), at, at + 1, 0, 0});
    return true;
  }

  void merge_all(Workspace& work) const {
    if (work.symbols.size() < 2) return;
    if (work.symbols.size() <= kShortWord) {
      merge_short(work.symbols, work.ranks);
    } else {
      merge_neighbours(work, [&](TokenId left, TokenId right) { return merges_.find(left, right); });
    }
  }

  // Again and again the lowest rank of all pairs, the first of equals.
  void merge_short(std::vector<Symbol>& symbols, std::vector<std::uint32_t>& ranks) const {
    std::size_t pairs = symbols.size() - 1;
    ranks.resize(pairs);
    const auto rank_of = [&](std::size_t i) { return merges_.find(symbols[i].id, symbols[i + 1].id).rank; };
    for (std::size_t i = 0; i < pairs; ++i) ranks[i] = rank_of(i);
    while (pairs > 0) {
      const auto lowest = static_cast<std::size_t>(
          std::min_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(pairs)) -
          ranks.begin());
      if (ranks[lowest] == PairTable::kNoRank) break;
      symbols[lowest].id = merges_.find(symbols[lowest].id, symbols[lowest + 1].id).id;
      symbols[lowest].end = symbols[lowest + 1].end;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(lowest) + 1);
      ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(lowest));
      --pairs;
      if (lowest < pairs) ranks[lowest] = rank_of(lowest);
      if (lowest > 0) ranks[lowest - 1] = rank_of(lowest - 1);
    }
  }

  BytePairOptions options_;
  TokenTable words_;  // by what they look like in a word: bytes, for byte level
  PairTable merges_;
  ByteTokens byte_tokens_;
  std::array<TokenId, 256> single_bytes_{};
  bool cut_at_marks_ = false;
  mutable std::vector<std::atomic<Whole>> stays_whole_;  // by id
};

}  // namespace

std::unique_ptr<TokenModel> make_byte_pair(const TokenTable& tokens, const std::vector<MergeRule>& merges,
                                           const BytePairOptions& options) {
  return std::make_unique<BytePair>(tokens, merges, options);
}

}  // namespace fovea
