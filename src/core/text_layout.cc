#include "core/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/utf8.h"
#include "fovea/render.h"

namespace fovea {
inline namespace internal {
namespace {

struct Color {
  double red, green, blue;
};

// From night blue through teal to warm yellow: brightness grows evenly, so it reads without colour vision
// too.
Color color_of(double share) {
  static constexpr Color kStops[] = {
      {28, 24, 58}, {44, 62, 124}, {34, 116, 140}, {78, 168, 118}, {252, 214, 84}};
  const double at = std::clamp(share, 0.0, 1.0) * 4;
  const auto low = static_cast<std::size_t>(std::min(3.0, std::floor(at)));
  const double t = at - static_cast<double>(low);
  const auto mix = [t](double a, double b) { return a + (b - a) * t; };
  const Color &a = kStops[low], &b = kStops[low + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace

std::string repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string wrap(std::string_view text, int width, int indent) {
  const std::string lines = wrapped(text, width, indent, indent);
  return lines.empty() ? lines : std::string(static_cast<std::size_t>(indent), ' ') + lines + '\n';
}

std::string shorten(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  std::string result;
  int used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, decode_utf8(text, at).bytes);
    const int size = display_width(character);
    if (used + size > width - 1) break;
    result += character;
    used += size;
    at += character.size();
  }
  return result + "…";
}

std::string styled(std::string_view text, Style style, bool color) {
  if (!color) return std::string(text);
  const char* code = style == Style::bold ? "1" : style == Style::dim ? "2" : "36";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string shaded(std::string_view text, double share, bool color) {
  if (!color || std::isnan(share)) return std::string(text);
  const Color c = color_of(share);
  const double brightness = 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue;
  return fmt::format("\x1b[48;2;{:.0f};{:.0f};{:.0f};38;2;{}m{}\x1b[0m", c.red, c.green, c.blue,
                     brightness > 130 ? "0;0;0" : "255;255;255", text);
}

std::string TextTable::to_string(int indent, bool color) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = row.empty() ? width : std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const auto line = [&](const auto& cell_of) {
    std::string text = margin;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_of(c);
      text += c == 0 ? "" : "  ";
      text += columns_[c].align == Align::left ? pad_right(cell, widths[c]) : pad_left(cell, widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);  // only a last column that is flush left leaves spaces
    return text;
  };
  int total = -2;
  for (const int width : widths) total += width + 2;
  const std::string rule = margin + styled(repeat("─", total), Style::dim, color) + '\n';

  std::string result =
      styled(line([&](std::size_t c) { return columns_[c].title; }), Style::bold, color) + '\n';
  result += rule;
  for (const auto& row : rows_) {
    result += row.empty() ? rule : line([&](std::size_t c) { return row[c]; }) + '\n';
  }
  return result;
}

}  // namespace internal
}  // namespace fovea
