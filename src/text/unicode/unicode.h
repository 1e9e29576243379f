// Facts about code points, as tokenizers ask for them. White space: core/utf8.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/api.h"

namespace fovea {

bool is_letter(char32_t c);             // \p{L}
bool is_number(char32_t c);             // \p{N}
bool is_word_character(char32_t c);     // \w: letters, marks, digits, connectors, joiners
bool is_combining_mark(char32_t c);     // \p{M}
bool is_control_or_format(char32_t c);  // \p{Cc}, \p{Cf}: zero bytes, joiners, direction marks

// What BERT's tokenizer means by these words: the tables of Unicode 8, all ASCII symbols as punctuation.
bool is_bert_punctuation(char32_t c);
bool is_bert_control(char32_t c);  // to be removed; tab, line feed and carriage return are white space
bool is_bert_accent(char32_t c);
bool is_bert_ideograph(char32_t c);  // gets a space on both sides

char32_t lower_case(char32_t c);  // one to one; İ (U+0130) becomes i without its dot

int combining_class(char32_t c);

// Writes the full decomposition and returns its length: 1 and c itself if there is none.
constexpr std::size_t kLongestDecomposition = 18;
std::size_t decompose(char32_t c, bool compatibility, char32_t (&parts)[kLongestDecomposition]);

// Could the composed form of a text with c in it differ from the text? No means surely not.
bool may_change_when_composed(char32_t c);

char32_t compose(char32_t first, char32_t second);  // 0 if the two stay apart

inline namespace internal {  // for the figures, too
// Does a new user-perceived character begin between the two? `state` is 0 at the start of a text.
FOVEA_PRIVATE_API bool is_grapheme_break(char32_t before, char32_t after, int& state);
}  // namespace internal

// The code point at text[at]; the text is valid UTF-8. `at` moves behind it.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const char32_t first = byte(0);
  if (first < 0x80) {
    ++at;
    return first;
  }
  if (first < 0xE0) {
    const char32_t value = (first & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    at += 2;
    return value;
  }
  if (first < 0xF0) {
    const char32_t value = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    at += 3;
    return value;
  }
  const char32_t value =
      (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
  at += 4;
  return value;
}

// How many characters at the ends of a text are white space. Ġ, GPT-2's picture of a space, counts as one.
struct WhiteSpaceAround {
  std::int32_t leading = 0, trailing = 0;
};
WhiteSpaceAround white_space_around(std::string_view text);

// Is this byte inside a code point, not its first one?
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

}  // namespace fovea
