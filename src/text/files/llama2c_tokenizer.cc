// tokenizer.bin of llama2.c: the length of the longest token, then for each token its score, its length and
// its bytes.
#include <bit>
#include <cmath>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "text/models/scored_pairs.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {
namespace {

// The first tokens have fixed places, and names that differ between versions of the file ("\n<s>\n"; bytes
// as <0x41> or as characters). These are the names that other tokenizers give them.
constexpr TokenId kUnknown = 0, kBegin = 1, kEndOfText = 2;
constexpr TokenId kFirstByte = 3, kFirstPiece = kFirstByte + 256;

std::string fixed_name(TokenId id) {
  if (id >= kFirstByte) return fmt::format("<0x{:02X}>", id - kFirstByte);
  return id == kUnknown ? "<unk>" : id == kBegin ? "<s>" : "</s>";
}

}  // namespace

TokenizerParts read_llama2c_tokenizer(std::string_view bytes, const std::string& where) {
  TokenizerParts parts;
  std::vector<float> scores;
  constexpr std::size_t kHead = 2 * sizeof(std::uint32_t);
  if (bytes.size() < sizeof(std::uint32_t)) fail("{}: only {} bytes", where, bytes.size());
  for (std::size_t at = sizeof(std::uint32_t); at < bytes.size();) {
    const auto id = static_cast<TokenId>(scores.size());
    if (bytes.size() - at < kHead) fail("{}: token {} ends at byte {}, too early", where, id, bytes.size());
    const auto score = std::bit_cast<float>(little_endian<std::uint32_t>(bytes, at));
    const std::size_t size = little_endian<std::uint32_t>(bytes, at + sizeof(std::uint32_t));
    at += kHead;
    if (size > bytes.size() - at) {
      fail("{}: token {} has {} bytes, but only {} are left", where, id, size, bytes.size() - at);
    }
    const std::string_view token = bytes.substr(at, size);
    at += size;
    if (!std::isfinite(score)) fail("{}: the score of token {} is not finite", where, id);
    if (!is_utf8(token)) fail("{}: token {} is not UTF-8: {}", where, id, in_quotes(token));
    scores.push_back(score);
    parts.tokens.add(id < kFirstPiece ? fixed_name(id) : std::string(token), id);
  }
  if (scores.size() < kFirstPiece) {
    fail("{}: expected at least {} tokens, got {}", where, kFirstPiece, scores.size());
  }
  std::vector<bool> mergeable(scores.size(), true);
  for (TokenId id = 0; id < kFirstPiece; ++id) mergeable[static_cast<std::size_t>(id)] = false;
  parts.normalizers.push_back(make_prepend(" "));
  parts.model =
      make_scored_pairs(parts.tokens, std::move(scores), std::move(mergeable), {.unknown = kUnknown});
  parts.post_processor.single.insert(parts.post_processor.single.begin(),
                                     {TemplatePiece::Kind::special, 0, {kBegin}});
  parts.post_processor.pair = {{TemplatePiece::Kind::special, 0, {kBegin}},
                               {TemplatePiece::Kind::first, 0, {}},
                               {TemplatePiece::Kind::special, 1, {kBegin}},
                               {TemplatePiece::Kind::second, 1, {}}};
  add_sentence_piece_decoders(parts.decoders);
  std::vector<AddedToken> specials;
  for (TokenId id : {kUnknown, kBegin, kEndOfText}) {
    AddedToken token;
    token.id = id;
    token.content = fixed_name(id);
    token.in_texts = false;  // as in llama2.c: what a user types is text
    specials.push_back(std::move(token));
  }
  set_added_tokens(parts, std::move(specials));
  return parts;
}

}  // namespace fovea
