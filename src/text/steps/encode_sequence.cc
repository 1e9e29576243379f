#include "text/steps/encode_sequence.h"

#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "io/messages.h"
#include "text/unicode/unicode.h"
#include "text/unicode/valid_text.h"

namespace fovea {
namespace {

constexpr std::size_t kLongestText = std::size_t{1}
                                     << 30;  // offsets have 31 bits, a repair may triple a text

class SequenceEncoder {
 public:
  SequenceEncoder(const TokenizerParts& parts, std::string_view original)
      : parts_(parts), valid_(original), characters_(valid_.text()) {}

  EncodedText take() {
    const std::string_view text = valid_.text();
    result_.tokens.reserve(text.size() / 3);
    for (const AddedTokens::Part& part : parts_.added.find(text, false)) {
      if (part.id != kNoToken) {
        put_added(part.id, text.substr(part.span.begin, part.span.end - part.span.begin), part.span);
      } else {
        encode_part(text.substr(part.span.begin, part.span.end - part.span.begin), part.span.begin);
      }
    }
    result_.characters = count_characters(text, std::move(unknown_));
    return std::move(result_);
  }

 private:
  // A text between added tokens: normalised, where others may be found.
  void encode_part(std::string_view part, std::uint32_t begin) {
    const std::size_t code = language_code(part);
    if (code > 0) {
      put_language_code(part.substr(0, code), begin);
      part.remove_prefix(code);
      begin += static_cast<std::uint32_t>(code);
    }
    AlignedText text(part, begin);
    for (const auto& normalizer : parts_.normalizers) normalizer->apply(text);
    const std::vector<AddedTokens::Part> found = parts_.added.find(text.bytes(), true);
    if (found.size() == 1 && found[0].id == kNoToken) {
      encode_split({std::move(text), {found[0].span}});
      return;
    }
    for (const auto& [span, id] : found) {
      if (id != kNoToken) {
        put_added(id, text.bytes().substr(span.begin, span.end - span.begin),
                  text.origin(span.begin, span.end));
      } else {
        encode_split({text.part(span.begin, span.end), {{0, span.end - span.begin}}});
      }
    }
  }

  // Bytes of ">>fra<<" in front of it; 0: there is none, or the tokenizer knows no such thing.
  std::size_t language_code(std::string_view part) const {
    if (!parts_.language_codes || !part.starts_with(">>")) return 0;
    const std::size_t end = part.find("<<");
    return end == std::string_view::npos ? 0 : end + 2;
  }

  void put_language_code(std::string_view code, std::uint32_t begin) {
    const ByteSpan place = {begin, begin + static_cast<std::uint32_t>(code.size())};
    const TokenId id = parts_.tokens.find(code);
    put_added(id == kNoToken ? no_word_ : id, code, place);
    if (id == kNoToken) mark_unknown(place);
  }

  void encode_split(SplitText split) {
    for (const auto& pre_tokenizer : parts_.pre_tokenizers) pre_tokenizer->apply(split);
    const std::string_view bytes = split.text.bytes();
    for (const ByteSpan& piece : split.pieces) {
      tokens_.clear();
      const std::string_view word = bytes.substr(piece.begin, piece.end - piece.begin);
      parts_.model->tokenize(word, work_, tokens_);
      const auto origin = [&](std::uint32_t begin, std::uint32_t end) {
        return split.text.origin(piece.begin + begin, piece.begin + end);
      };
      std::uint32_t read = 0;  // bytes of the word; what no token covers was left out
      for (const Token& token : tokens_) {
        const std::string_view name = parts_.tokens.token(token.id);
        if (token.begin > read) unknown_.push_back(origin(read, token.begin));
        read = std::max(read, token.end);
        // Who writes the token's own name means the token.
        const bool unknown =
            token.id == no_word_ && word.substr(token.begin, token.end - token.begin) != name;
        const ByteSpan place = origin(token.begin, token.end);
        put(token, name, place);
        if (unknown) mark_unknown(place);
      }
      if (read < word.size()) unknown_.push_back(origin(read, static_cast<std::uint32_t>(word.size())));
      ++word_;
    }
  }

  // The last token.
  void mark_unknown(ByteSpan place) {
    if (place.end < place.begin) std::swap(place.begin, place.end);  // accents that changed places
    result_.tokens.back().unknown = static_cast<std::int32_t>(result_.unknown.size());
    result_.unknown.emplace_back(valid_.text().substr(place.begin, place.end - place.begin));
    unknown_.push_back(place);
  }

  void put_added(TokenId id, std::string_view text, ByteSpan place) {
    put({id, 0, 0}, text, place);
    ++word_;
  }

  // `text` is what the token looks like, for the white space in it.
  void put(const Token& token, std::string_view text, ByteSpan place) {
    if (parts_.post_processor.trim_offsets) place = trimmed(text, place);
    const auto span = [](std::uint32_t begin, std::uint32_t end) {
      return TextSpan{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
    };
    const std::uint32_t first = characters_.characters_before(place.begin);
    result_.tokens.push_back({token.id, word_,
                              span(valid_.original_byte(place.begin), valid_.original_byte(place.end)),
                              span(first, characters_.characters_before(place.end))});
  }

  // The place without as many characters at its ends as the token has white space there.
  ByteSpan trimmed(std::string_view text, ByteSpan place) const {
    auto [leading, trailing] = white_space_around(text);
    const bool is_first = result_.tokens.empty() || place.begin == 0;
    if (is_first && parts_.post_processor.add_prefix_space && leading == 1)
      leading = 0;  // it was never there
    const std::string_view bytes = valid_.text();
    const auto begins_character = [&](std::uint32_t at) {
      return at >= bytes.size() || !is_continuation(bytes[at]);
    };
    for (; leading > 0 && place.begin < place.end; --leading) {
      do ++place.begin;
      while (!begins_character(place.begin));
    }
    for (; trailing > 0 && place.begin < place.end; --trailing) {
      do --place.end;
      while (!begins_character(place.end));
    }
    return place;
  }

  const TokenizerParts& parts_;
  ValidText valid_;
  CharacterCounter characters_;
  Workspace work_;
  std::vector<Token> tokens_;
  EncodedText result_;
  std::vector<ByteSpan> unknown_;                    // of the text
  const TokenId no_word_ = parts_.model->unknown();  // what stands for unknown text
  std::int32_t word_ = 0;
};

}  // namespace

EncodedText encode_sequence(const TokenizerParts& parts, std::string_view text) {
  if (text.size() > kLongestText / 3) {
    fail("[tokenizer] the text has {} bytes, the limit is {}", grouped(text.size()),
         grouped(kLongestText / 3));
  }
  return SequenceEncoder(parts, text).take();
}

}  // namespace fovea
