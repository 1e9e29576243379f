#include "plot/terminal_cells.h"

#include <algorithm>
#include <optional>

#include "core/number_text.h"
#include "core/text_layout.h"
#include "fovea/render.h"

namespace fovea {
namespace {

std::string centered(std::string_view text, int width) {
  const int left = std::max(0, (width - display_width(text)) / 2);
  return pad_right(repeat(" ", left) + std::string(text), width);
}

// Number on its colour; in shades the number between blocks.
std::string number_cell(double value, const TerminalScale& scale, TerminalColors colors, int width,
                        int digits) {
  const std::string number = fixed(value, digits);
  if (colors == TerminalColors::none) {
    const std::string block(shade(value, scale));
    return pad_right(" " + block + block + number, width);
  }
  const Color color = scale.color(value);
  return background(color, colors) + foreground(readable_on(color), colors) + centered(number, width) +
         std::string(kReset);
}

std::string square_cell(double value, const TerminalScale& scale, TerminalColors colors) {
  if (colors != TerminalColors::none) {
    return background(scale.color(value), colors) + "  " + std::string(kReset);
  }
  const std::string block(shade(value, scale));
  return block + (scale.signed_values() && value < 0 && block != " " ? "-" : block);
}

// Two values above each other; one that is hidden leaves the terminal's own background.
std::string half_block(const std::optional<double>& top, const std::optional<double>& bottom,
                       const TerminalScale& scale, TerminalColors colors) {
  if (!top && !bottom) return styled("·", Style::dim, true);
  std::string text;
  if (top) text += foreground(scale.color(*top), colors);
  if (bottom)
    text += top ? background(scale.color(*bottom), colors) : foreground(scale.color(*bottom), colors);
  return text + (top ? "▀" : "▄") + std::string(kReset);
}

bool has_halves(CellForm form, TerminalColors colors) {
  return form == CellForm::half_blocks && colors != TerminalColors::none;
}

}  // namespace

CellGrid pooled(const CellGrid& grid, Index rows, Index columns) {
  const Index n = grid.values.shape()[0], m = grid.values.shape()[1];
  const Index r = std::min(n, rows), c = std::min(m, columns);
  if (r == n && c == m) return grid;
  std::vector<double> sums(static_cast<std::size_t>(r * c), 0);
  std::vector<Index> counts(sums.size(), 0), seen(sums.size(), 0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const auto cell = static_cast<std::size_t>(i * r / n * c + j * c / m);
      ++counts[cell];
      if (grid.is_hidden(i, j)) continue;
      ++seen[cell];
      sums[cell] += static_cast<double>(grid.values(i, j));
    }
  }
  CellGrid small{Tensor({r, c}), grid.hidden.empty() ? Flags() : Flags::filled({r, c}, 0)};
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    small.values.data()[cell] = static_cast<float>(sums[cell] / static_cast<double>(counts[cell]));
    if (!grid.hidden.empty()) small.hidden.data()[cell] = seen[cell] == 0 ? 1 : 0;
  }
  return small;
}

int cell_columns(CellForm form, TerminalColors colors, int number_width) {
  if (form == CellForm::numbers) return number_width;
  return has_halves(form, colors) ? 1 : 2;
}

int rows_per_line(CellForm form, TerminalColors colors) { return has_halves(form, colors) ? 2 : 1; }

std::vector<std::string> cell_lines(const CellGrid& grid, CellForm form, const TerminalScale& scale,
                                    TerminalColors colors, int number_width, int digits) {
  const Index rows = grid.values.shape()[0], columns = grid.values.shape()[1];
  const auto value_at = [&](Index i, Index j) -> std::optional<double> {
    if (i >= rows || grid.is_hidden(i, j)) return std::nullopt;
    return static_cast<double>(grid.values(i, j));
  };
  const bool color = colors != TerminalColors::none;
  std::vector<std::string> lines;
  for (Index i = 0; i < rows; i += rows_per_line(form, colors)) {
    std::string line;
    for (Index j = 0; j < columns; ++j) {
      const std::optional<double> value = value_at(i, j);
      if (has_halves(form, colors)) {
        line += half_block(value, value_at(i + 1, j), scale, colors);
      } else if (!value) {
        line += styled(centered("·", cell_columns(form, colors, number_width)), Style::dim, color);
      } else if (form == CellForm::numbers) {
        line += number_cell(*value, scale, colors, number_width, digits);
      } else {
        line += square_cell(*value, scale, colors);
      }
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace fovea
