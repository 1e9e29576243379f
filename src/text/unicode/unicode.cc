#include "text/unicode/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "core/utf8.h"
#include "text/unicode/unicode_versions.h"

namespace fovea {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_ascii_letter(char32_t c) { return (c | 0x20u) - U'a' < 26; }
bool is_ascii_digit(char32_t c) { return c - U'0' < 10; }

bool is_mark(utf8proc_category_t kind) {
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ME;
}

// Letters in circles and squares: symbols by category, alphabetic by property, which utf8proc does not
// know.
bool is_enclosed_letter(char32_t c) {
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
         (c >= 0x1F170 && c <= 0x1F189);
}

}  // namespace

bool is_letter(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c);
  const utf8proc_category_t kind = category(c);
  if (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) return true;
  return kind == UTF8PROC_CATEGORY_CN && is_letter_since_15_1(c);
}

bool is_number(char32_t c) {
  if (c < 0x80) return is_ascii_digit(c);
  const utf8proc_category_t kind = category(c);
  if (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO) return true;
  return kind == UTF8PROC_CATEGORY_CN && is_number_since_16(c);
}

bool is_word_character(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c) || is_ascii_digit(c) || c == U'_';
  const utf8proc_category_t kind = category(c);
  return is_mark(kind) || kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL ||
         kind == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || is_enclosed_letter(c) ||
         is_letter(c);
}

bool is_control_or_format(char32_t c) {
  if (c < 0x80) return c < 0x20 || c == 0x7F;
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF;
}

bool is_combining_mark(char32_t c) { return c >= 0x300 && is_mark(category(c)); }

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) return (c > 0x20 && c < 0x7F) && !is_ascii_letter(c) && !is_ascii_digit(c);
  const utf8proc_category_t kind = category(c);
  if (c == 0x166D || c == 0x111C9) return true;  // a symbol and an accent since then
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO && !is_punctuation_since_9(c);
}

bool is_bert_control(char32_t c) {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  const utf8proc_category_t kind = category(c);
  return (kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO) &&
         !is_format_since_9(c);
}

bool is_bert_accent(char32_t c) {
  if (c < 0x300) return false;
  if (c == 0x1734) return true;  // counts as a spacing mark since then
  return category(c) == UTF8PROC_CATEGORY_MN && !is_accent_since_9(c);
}

bool is_bert_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

char32_t lower_case(char32_t c) {
  if (c < 0x80) return c - U'A' < 26 ? c + 32 : c;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

int combining_class(char32_t c) {
  if (c < 0x300) return 0;
  const int order = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  return order == 0 || is_ordered_mark_since_10(c) ? 0 : order;
}

std::size_t decompose(char32_t c, bool compatibility, char32_t (&parts)[kLongestDecomposition]) {
  parts[0] = c;
  if (c < 0x80 || is_decomposition_since_10(c)) return 1;
  utf8proc_int32_t buffer[kLongestDecomposition];
  int state = 0;
  const int options = compatibility ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT : UTF8PROC_DECOMPOSE;
  const utf8proc_ssize_t length =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), buffer, kLongestDecomposition,
                              static_cast<utf8proc_option_t>(options), &state);
  if (length < 1 || length > static_cast<utf8proc_ssize_t>(kLongestDecomposition)) return 1;
  std::copy_n(buffer, length, parts);
  return static_cast<std::size_t>(length);
}

bool may_change_when_composed(char32_t c) {
  // Latin letters are composed already, Hangul syllables too.
  if (c < 0x300 || (c >= 0x1E00 && c <= 0x1EFF) || (c >= 0xAC00 && c <= 0xD7A3)) return false;
  if (c >= 0x1160 && c <= 0x11FF) return true;  // the second and third part of a syllable
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property->combining_class != 0 || property->decomp_seqindex != UINT16_MAX ||
         is_mark(static_cast<utf8proc_category_t>(property->category));
}

char32_t compose(char32_t first, char32_t second) {
  utf8proc_int32_t pair[3] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second),
                              0};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

bool internal::is_grapheme_break(char32_t before, char32_t after, int& state) {
  return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                          static_cast<utf8proc_int32_t>(after), &state);
}

WhiteSpaceAround white_space_around(std::string_view text) {
  constexpr char32_t kVisibleSpace = 0x120;  // Ġ
  WhiteSpaceAround around;
  bool only_spaces = true;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool space = c == kVisibleSpace || is_white_space(c);
    only_spaces = only_spaces && space;
    if (only_spaces) ++around.leading;
    around.trailing = space ? around.trailing + 1 : 0;
  }
  return around;
}

}  // namespace fovea
