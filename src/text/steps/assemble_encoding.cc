#include "text/steps/assemble_encoding.h"

#include <algorithm>

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {
namespace {

using Tokens = std::vector<PlacedToken>;

Index size_of(const Tokens* tokens) { return tokens == nullptr ? 0 : static_cast<Index>(tokens->size()); }

void cut_to(Tokens& tokens, Index length, Side side) {
  if (size_of(&tokens) <= length) return;
  if (side == Side::left) {
    tokens.erase(tokens.begin(), tokens.end() - length);
  } else {
    tokens.resize(static_cast<std::size_t>(length));
  }
}

// The longer one first; if both are too long, each gets half, and the longer one the odd token.
void cut_longest(Tokens& first, Tokens* second, Index length, Side side) {
  if (second == nullptr) {
    cut_to(first, length, side);
    return;
  }
  const bool swapped = size_of(&first) > size_of(second);
  Index shorter = std::min(size_of(&first), size_of(second));
  Index longer = std::max(shorter, length - shorter);
  if (shorter + longer > length) {
    shorter = length / 2;
    longer = length - shorter;
  }
  cut_to(first, swapped ? longer : shorter, side);
  cut_to(*second, swapped ? shorter : longer, side);
}

void cut_only(Tokens* target, Index excess, Side side, const char* name) {
  if (target == nullptr) fail("[tokenizer] cannot truncate {}: there is only one text", name);
  if (size_of(target) <= excess) {
    fail("[tokenizer] {} has {} tokens, but {} would have to be removed", name, size_of(target), excess);
  }
  cut_to(*target, size_of(target) - excess, side);
}

// How many tokens were cut off.
Index truncate(Tokens& first, Tokens* second, Index specials, const EncodeOptions& options) {
  if (options.max_length == 0) return 0;
  const Index length = options.max_length - specials;
  if (length < 0) {
    fail("[tokenizer] max_length is {}, but {} special tokens are added", options.max_length, specials);
  }
  const Index before = size_of(&first) + size_of(second);
  if (before <= length) return 0;
  switch (options.truncation) {
    case Truncation::longest_first:
      cut_longest(first, second, length, options.cut_side);
      break;
    case Truncation::only_first:
      cut_only(&first, before - length, options.cut_side, "the first text");
      break;
    case Truncation::only_second:
      cut_only(second, before - length, options.cut_side, "the second text");
      break;
  }
  return before - size_of(&first) - size_of(second);
}

// Tokens are copied into the result, and a file may say that the unknown token has a name of a megabyte.
void check_names(std::size_t bytes, std::size_t tokens) {
  constexpr std::size_t kPerToken = 64, kMore = std::size_t{64} << 20;
  if (bytes <= kPerToken * tokens + kMore) return;
  fail("[tokenizer] the names of {} tokens take {} bytes, more than {} for each", grouped(tokens),
       grouped(bytes), kPerToken);
}

void check_names(const TokenizerParts& parts, const Tokens* tokens) {
  if (tokens == nullptr) return;
  std::size_t bytes = 0;
  for (const PlacedToken& token : *tokens) bytes += parts.tokens.token(token.id).size();
  check_names(bytes, tokens->size());
}

void reserve(Encoding& encoding, std::size_t size) {
  encoding.ids.reserve(size);
  encoding.tokens.reserve(size);
  encoding.bytes.reserve(size);
  encoding.characters.reserve(size);
  encoding.type_ids.reserve(size);
  encoding.text_ids.reserve(size);
  encoding.word_ids.reserve(size);
  encoding.special_mask.reserve(size);
  encoding.attention_mask.reserve(size);
}

// What is known of a text before it is cut.
TextReading reading_of(const EncodedText& text, const TokenizerParts& parts) {
  const TokenId unknown = parts.model->unknown();
  return {text.characters.all, text.characters.unknown, 0, 0,
          std::string(unknown == kNoToken ? "" : parts.tokens.token(unknown))};
}

void put(Encoding& encoding, const TokenizerParts& parts, const PlacedToken& token, Index type_id,
         Index text_id) {
  encoding.ids.push_back(token.id);
  encoding.tokens.emplace_back(parts.tokens.token(token.id));
  encoding.bytes.push_back(token.bytes);
  encoding.characters.push_back(token.characters);
  encoding.type_ids.push_back(type_id);
  encoding.text_ids.push_back(text_id);
  encoding.word_ids.push_back(token.word);
  encoding.special_mask.push_back(text_id < 0 ? 1 : 0);
  encoding.attention_mask.push_back(1);
}

template <typename List, typename Value>
void fill(List& list, std::size_t count, Side side, const Value& value) {
  list.insert(side == Side::left ? list.begin() : list.end(), count, value);
}

}  // namespace

Encoding assemble_encoding(const TokenizerParts& parts, EncodedText first, EncodedText* second,
                           const EncodeOptions& options) {
  const PostProcessor& processor = parts.post_processor;
  const bool is_pair = second != nullptr;
  Encoding encoding;
  const Index specials = options.add_special_tokens ? processor.special_count(is_pair) : 0;
  Tokens* second_tokens = is_pair ? &second->tokens : nullptr;
  const Index whole[] = {size_of(&first.tokens), size_of(second_tokens)};
  encoding.texts.push_back(reading_of(first, parts));
  if (is_pair) encoding.texts.push_back(reading_of(*second, parts));
  encoding.cut = truncate(first.tokens, second_tokens, specials, options);
  check_names(parts, &first.tokens);
  check_names(parts, second_tokens);
  reserve(encoding, static_cast<std::size_t>(std::max(
                        size_of(&first.tokens) + size_of(second_tokens) + specials, options.pad_to)));
  TextReading* reading = encoding.texts.data();  // of the text that special tokens belong to
  const auto count = [&](Index tokens, Index tokens_read) {
    reading->tokens += tokens;
    reading->tokens_read += tokens_read;
  };
  for (const TemplatePiece& piece : processor.pieces(is_pair)) {
    if (piece.kind == TemplatePiece::Kind::special) {
      if (!options.add_special_tokens) continue;
      for (const TokenId id : piece.ids) put(encoding, parts, {id, -1, {}, {}}, piece.type_id, -1);
      count(static_cast<Index>(piece.ids.size()), static_cast<Index>(piece.ids.size()));
    } else {
      const Index text_id = piece.kind == TemplatePiece::Kind::first ? 0 : 1;
      const EncodedText& text = text_id == 0 ? first : *second;
      for (const PlacedToken& token : text.tokens) {
        if (token.unknown >= 0)
          encoding.unknown.push_back(
              {encoding.size(), text.unknown[static_cast<std::size_t>(token.unknown)]});
        put(encoding, parts, token, piece.type_id, text_id);
      }
      reading = &encoding.texts[static_cast<std::size_t>(text_id)];
      count(whole[text_id], size_of(&text.tokens));
    }
  }
  pad_encoding(encoding, options.pad_to, parts, options);
  return encoding;
}

void pad_encoding(Encoding& encoding, Index length, const TokenizerParts& parts,
                  const EncodeOptions& options) {
  if (encoding.size() >= length) return;
  const Index id = options.pad_id.value_or(std::max<Index>(parts.pad(), 0));
  const bool named = id >= 0 && id <= INT32_MAX && parts.tokens.contains(static_cast<TokenId>(id));
  const auto count = static_cast<std::size_t>(length - encoding.size());
  const Side side = options.pad_side;
  if (side == Side::left) {
    for (UnknownToken& token : encoding.unknown) token.place += static_cast<Index>(count);
  }
  const std::string name(named ? parts.tokens.token(static_cast<TokenId>(id)) : "");
  check_names(count * name.size(), count);
  fill(encoding.tokens, count, side, name);
  fill(encoding.ids, count, side, id);
  fill(encoding.bytes, count, side, TextSpan{});
  fill(encoding.characters, count, side, TextSpan{});
  fill(encoding.type_ids, count, side, Index{0});
  fill(encoding.text_ids, count, side, Index{-1});
  fill(encoding.word_ids, count, side, Index{-1});
  fill(encoding.special_mask, count, side, std::uint8_t{1});
  fill(encoding.attention_mask, count, side, std::uint8_t{0});
}

}  // namespace fovea
