// Where a line of mixed Chinese and Latin text may end.
#include <algorithm>
#include <vector>

#include "core/utf8.h"
#include "fovea/ascii.h"
#include "fovea/render.h"

namespace fovea {
namespace {

// A piece that must not be broken, and whether a space stood before it.
struct Piece {
  std::string text;
  bool space_before = false;
};

// Marks that must not begin a line, and such that must not end one: those of Chinese and Japanese rules for
// setting lines (kinsoku), and their ASCII twins where they stand beside a Chinese character.
bool may_not_begin(char32_t value) {
  static constexpr std::u32string_view kMarks = U"，。、；：！？）］｝〕〉》」』】〗”’…—～·,.;:!?)]}%‰°";
  return kMarks.find(value) != std::u32string_view::npos;
}
bool may_not_end(char32_t value) {
  static constexpr std::u32string_view kMarks = U"（［｛〔〈《「『【〖“‘([{";
  return kMarks.find(value) != std::u32string_view::npos;
}

constexpr int kShortWord = 12;      // a Chinese word between spaces, as in a list of words, stays whole
constexpr int kMaxTokenWidth = 24;  // longer quotes are prose, not the name of a token

// Where the “…”, (…) or […] that opens at text[at] ends; `at` itself if nothing opens there, or it is long.
std::size_t end_of_token(std::string_view text, std::size_t at, char32_t opening) {
  if (opening != U'“' && opening != U'(' && opening != U'[') return at;
  const std::string_view closing = opening == U'(' ? ")" : opening == U'[' ? "]" : "”";
  const std::size_t end = text.find(closing, at);
  if (end == std::string_view::npos) return at;
  return display_width(text.substr(at, end - at)) <= kMaxTokenWidth ? end + closing.size() : at;
}

// Does text[at] begin with a mark that closes something? A point before a letter begins a name: .npy.
bool closes(std::string_view text, std::size_t at, char32_t value) {
  if (value != U'.' || at + 1 == text.size()) return may_not_begin(value);
  const char next = ascii_lower_case(text[at + 1]);
  return next < 'a' || next > 'z';
}

// Where the word that begins at text[at] ends, if it takes at most `most` columns; else `at`.
std::size_t end_of_short_word(std::string_view text, std::size_t at, int most) {
  const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
  return end - at <= 4 * kShortWord && display_width(text.substr(at, end - at)) <= most ? end : at;
}

std::vector<Piece> pieces_of(std::string_view text, int short_word) {
  std::vector<Piece> pieces;
  std::size_t token_end = 0;  // up to here only spaces part
  bool space = false, glue = false, previous_wide = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const std::string_view character = text.substr(at, point.bytes);
    const bool in_token = at < token_end, closing = closes(text, at, point.value);
    if (!in_token) token_end = end_of_token(text, at, point.value);
    if (!in_token && (pieces.empty() || space)) {
      token_end = std::max(token_end, end_of_short_word(text, at, short_word));
    }
    at += point.bytes;
    if (point.value == ' ' || point.value == '\n') {
      space = true;
      continue;
    }
    const bool wide = display_width(character) == 2;
    const bool new_piece =
        pieces.empty() || space || ((wide || previous_wide) && !in_token && !glue && !closing);
    if (new_piece) {
      pieces.push_back({std::string(character), space && !pieces.empty()});
    } else {
      pieces.back().text += character;
    }
    space = false;
    glue = may_not_end(point.value);
    previous_wide = wide;
  }
  return pieces;
}

}  // namespace

std::string wrapped(std::string_view text, int width, int indent, int start) {
  std::string result;
  int column = start;
  // The lines of narrow columns would become too uneven if whole words were kept.
  const int short_word = std::min(kShortWord, (width - indent) / 4);
  for (const Piece& piece : pieces_of(text, short_word)) {
    const int size = display_width(piece.text);
    const int space = piece.space_before ? 1 : 0;
    if (!result.empty() && column + space + size > width) {
      result += '\n';
      result.append(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (space == 1) {
      result += ' ';
      ++column;
    }
    result += piece.text;
    column += size;
  }
  return result;
}

}  // namespace fovea
