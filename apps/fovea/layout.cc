#include "layout.h"

#include <fmt/core.h>

#include <vector>

#include "command.h"
#include "fovea/render.h"

namespace fovea::command {
namespace {

// A piece that stays on one line, and whether a space stood before it.
struct Piece {
  std::string text;
  bool spaced = false;
};

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

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::string_view previous;
  bool spaced = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, character_length(text, at));
    at += character.size();
    if (character == " " || character == "\n") {
      spaced = true;
      continue;
    }
    const bool beside_wide = display_width(character) > 1 || display_width(previous) > 1;
    const bool may_break = beside_wide && !closes(character) && !opens(previous);
    if (pieces.empty() || spaced || may_break) {
      pieces.push_back({std::string(character), spaced});
    } else {
      pieces.back().text += character;
    }
    previous = character;
    spaced = false;
  }
  return pieces;
}

}  // namespace

std::string wrapped(std::string_view text, int width, int indent, int start) {
  std::string result;
  int column = start;
  bool line_is_empty = true;
  for (const Piece& piece : pieces_of(text)) {
    const int gap = piece.spaced && !line_is_empty ? 1 : 0;
    const int length = display_width(piece.text);
    if (!line_is_empty && column + gap + length > width) {
      result += '\n';
      result.append(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (gap == 1) {
      result += ' ';
      ++column;
    }
    result += piece.text;
    column += length;
    line_is_empty = false;
  }
  return result;
}

std::string bold(std::string_view text, bool color) {
  return color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string rule(int width) {
  std::string line;
  for (int i = 0; i < width; ++i) line += "─";
  return line;
}

void Context::line(std::string_view text) const {
  print(text);
  print("\n");
}

void Context::heading(const Text& title) const {
  const std::string& text = say(title);
  std::string rest;
  for (int i = display_width(text) + 4; i < width; ++i) rest += "━";
  line(bold(fmt::format("━━ {} {}", text, rest), color));
  line();
}

void Context::subheading(const Text& title) const {
  line(bold(fmt::format("▸ {}", say(title)), color));
  line();
}

void Context::paragraph(const Text& text) const {
  line(wrapped(say(text), width));
  line();
}

}  // namespace fovea::command
