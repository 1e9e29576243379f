#include "text/encode_sequence.h"

#include "core/fail.h"
#include "io/messages.h"
#include "text/valid_text.h"

namespace fovea {
namespace {

constexpr std::size_t kLongestText = std::size_t{1}
                                     << 30;  // offsets have 31 bits, a repair may triple a text

class SequenceEncoder {
 public:
  SequenceEncoder(const TokenizerParts& parts, std::string_view original)
      : parts_(parts), valid_(original), characters_(valid_.text()) {}

  std::vector<PlacedToken> take() {
    const std::string_view text = valid_.text();
    result_.reserve(text.size() / 3);
    for (const AddedTokens::Part& part : parts_.added.find(text, false)) {
      if (part.id != kNoToken) {
        put_word({part.id, 0, 0}, part.span);
      } else {
        encode_part(text.substr(part.span.begin, part.span.end - part.span.begin), part.span.begin);
      }
    }
    return std::move(result_);
  }

 private:
  // A text between added tokens: normalised, where others may be found.
  void encode_part(std::string_view part, std::uint32_t begin) {
    AlignedText text(part, begin);
    for (const auto& normalizer : parts_.normalizers) normalizer->apply(text);
    const std::vector<AddedTokens::Part> found = parts_.added.find(text.bytes(), true);
    SplitText split = {std::move(text), {}};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].id != kNoToken) {
        put_word({found[i].id, 0, 0}, split.text.origin(found[i].span.begin, found[i].span.end));
        continue;
      }
      split.pieces = {found[i].span};
      if (i + 1 == found.size()) {
        encode_split(split);
      } else {
        SplitText copy = split;
        encode_split(copy);
      }
    }
  }

  void encode_split(SplitText& split) {
    for (const auto& pre_tokenizer : parts_.pre_tokenizers) pre_tokenizer->apply(split);
    const std::string_view bytes = split.text.bytes();
    for (const ByteSpan& piece : split.pieces) {
      tokens_.clear();
      parts_.model->tokenize(bytes.substr(piece.begin, piece.end - piece.begin), work_, tokens_);
      for (const Token& token : tokens_) {
        put(token, split.text.origin(piece.begin + token.begin, piece.begin + token.end));
      }
      ++word_;
    }
  }

  void put_word(const Token& token, ByteSpan place) {
    put(token, place);
    ++word_;
  }

  void put(const Token& token, ByteSpan place) {
    const auto span = [](std::uint32_t begin, std::uint32_t end) {
      return TextSpan{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
    };
    const std::uint32_t first = characters_.characters_before(place.begin);
    result_.push_back({token.id, word_,
                       span(valid_.original_byte(place.begin), valid_.original_byte(place.end)),
                       span(first, characters_.characters_before(place.end))});
  }

  const TokenizerParts& parts_;
  ValidText valid_;
  CharacterCounter characters_;
  Workspace work_;
  std::vector<Token> tokens_;
  std::vector<PlacedToken> result_;
  std::int32_t word_ = 0;
};

}  // namespace

std::vector<PlacedToken> encode_sequence(const TokenizerParts& parts, std::string_view text) {
  if (text.size() > kLongestText / 3) {
    fail("[tokenizer] the text has {} bytes, at most {} are possible", grouped(text.size()),
         grouped(kLongestText / 3));
  }
  return SequenceEncoder(parts, text).take();
}

}  // namespace fovea
