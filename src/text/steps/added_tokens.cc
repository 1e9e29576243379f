#include "text/steps/added_tokens.h"

#include <algorithm>

#include "core/fail.h"
#include "core/utf8.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

std::size_t previous_code_point(std::string_view text, std::size_t at) {
  --at;
  while (at > 0 && is_continuation(text[at])) --at;
  return at;
}

bool is_word_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_word_character(next_code_point(text, at));
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word_at(text, previous_code_point(text, begin))) && !is_word_at(text, end);
}

std::size_t before_white_space(std::string_view text, std::size_t at, std::size_t smallest) {
  while (at > smallest) {
    const std::size_t before = previous_code_point(text, at);
    std::size_t next = before;
    if (!is_white_space(next_code_point(text, next))) break;
    at = before;
  }
  return std::max(at, smallest);
}

std::size_t after_white_space(std::string_view text, std::size_t at) {
  for (std::size_t next = at; next < text.size(); at = next) {
    if (!is_white_space(next_code_point(text, next))) break;
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizers& normalizers)
    : tokens_(std::move(tokens)) {
  for (const AddedToken& token : tokens_) {
    AlignedText text(token.content, 0);
    if (token.normalized) {
      for (const auto& normalizer : normalizers) normalizer->apply(text);
    }
    patterns_.emplace_back(text.bytes());
    if (token.special) special_.push_back(token.id);
  }
  std::sort(special_.begin(), special_.end());
  std::vector<Trie::Key> raw, normalized;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    auto& keys = tokens_[i].normalized ? normalized : raw;
    if (!patterns_[i].empty() && tokens_[i].in_texts)
      keys.emplace_back(patterns_[i], static_cast<std::int32_t>(i));
  }
  raw_ = Trie(std::move(raw));
  normalized_ = Trie(std::move(normalized));
}

bool AddedTokens::is_special(TokenId id) const {
  return std::binary_search(special_.begin(), special_.end(), id);
}

// The leftmost match counts, and of those that begin there the longest.
std::vector<AddedTokens::Part> AddedTokens::find(std::string_view text, bool normalized) const {
  const Trie& trie = normalized ? normalized_ : raw_;
  std::vector<Part> parts;
  std::size_t done = 0;
  const auto put = [&](std::size_t begin, std::size_t end, TokenId id) {
    if (begin < end)
      parts.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, id});
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!trie.may_start_with(text[at])) {
      ++at;
      continue;
    }
    const Trie::Match match = trie.longest_prefix(text.substr(at));
    if (match.length == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(match.value)];
    std::size_t begin = at, end = at + match.length;
    at = end;
    if (token.single_word && !is_single_word(text, begin, end)) continue;
    if (begin < done) continue;  // inside the white space that the token before took along
    if (token.strip_left) begin = before_white_space(text, begin, done);
    if (token.strip_right) end = after_white_space(text, end);
    put(done, begin, kNoToken);
    put(begin, end, token.id);
    done = end;
  }
  put(done, text.size(), kNoToken);
  return parts;
}

std::vector<AddedToken> read_added_tokens(const JsonField& json, const TokenTable& model_tokens) {
  std::vector<AddedToken> tokens;
  if (json.is_null()) return tokens;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonField each = json.at(i);
    AddedToken token;
    token.content = each["content"].text();
    if (token.content.empty()) continue;
    // The ids of all parts of a file have to stay near each other: tables are indexed by them.
    const Index largest = 4 * (model_tokens.end() + static_cast<Index>(json.size())) + 65536;
    token.id = static_cast<TokenId>(each["id"].integer(0, largest));
    token.special = each.flag_or("special", false);
    token.single_word = each.flag_or("single_word", false);
    token.strip_left = each.flag_or("lstrip", false);
    token.strip_right = each.flag_or("rstrip", false);
    token.normalized = each.flag_or("normalized", !token.special);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace fovea
