#include "output/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "command.h"
#include "fovea/render.h"

namespace fovea::command {
namespace {

std::size_t character_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

bool closes(std::string_view character) {
  for (const std::string_view mark :
       {"，", "。", "、", "；", "：", "）", "！", "？", "》", "”", "」", "…"}) {
    if (character == mark) return true;
  }
  return false;
}

bool opens(std::string_view character) {
  return character == "（" || character == "《" || character == "“" || character == "「";
}

// A word, cut where a line may end inside it: beside Chinese characters. Short words stay whole.
std::vector<std::string> pieces_of(std::string_view word) {
  constexpr int kShort = 12;
  if (display_width(word) <= kShort) return {std::string(word)};
  std::vector<std::string> pieces;
  std::string_view previous;
  for (std::size_t at = 0; at < word.size();) {
    const std::string_view character = word.substr(at, character_length(word, at));
    at += character.size();
    const bool beside_wide = display_width(character) > 1 || display_width(previous) > 1;
    if (pieces.empty() || (beside_wide && !closes(character) && !opens(previous))) pieces.emplace_back();
    pieces.back() += character;
    previous = character;
  }
  return pieces;
}

}  // namespace

std::string wrapped(std::string_view text, int width, int indent, int start) {
  std::string result;
  int column = start;
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    bool after_space = true;
    for (const std::string& piece : pieces_of(text.substr(0, end))) {
      const int gap = after_space && !line_is_empty ? 1 : 0;
      const int length = display_width(piece);
      if (!line_is_empty && column + gap + length > width) {
        result += '\n';
        result.append(static_cast<std::size_t>(indent), ' ');
        column = indent;
      } else if (gap == 1) {
        result += ' ';
        ++column;
      }
      result += piece;
      column += length;
      line_is_empty = false;
      after_space = false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string bold(std::string_view text, bool color) {
  return color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

void Context::line(std::string_view text) const {
  print(text);
  print("\n");
}

void Context::block(std::string_view text) const {
  while (text.ends_with('\n')) text.remove_suffix(1);
  line(text);
  line();
}

void Context::print_heading(const std::string& title) const {
  std::string rest;
  for (int i = display_width(title) + 4; i < text_width(); ++i) rest += "━";
  line(bold(fmt::format("━━ {} {}", title, rest), color));
  line();
}

void Context::print_subheading(const std::string& title) const {
  line(bold(fmt::format("▸ {}", title), color));
  line();
}

void Context::print_paragraph(const std::string& text) const {
  line(wrapped(text, text_width()));
  line();
}

}  // namespace fovea::command
