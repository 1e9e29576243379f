// The cells of a terminal heatmap, line by line, without labels.
#pragma once

#include <string>
#include <vector>

#include "plot/terminal_paint.h"

namespace fovea {

enum class CellForm {
  numbers,      // one line high, wide enough for a number
  squares,      // two columns, one line
  half_blocks,  // one column, half a line; in shades, which have no halves, two columns and one line
};

// [R, C] values, some hidden, as they are drawn.
struct CellGrid {
  Tensor values;
  Flags hidden;  // as many, or empty
  bool is_hidden(Index i, Index j) const { return !hidden.empty() && hidden(i, j) != 0; }
};

// Means over cells of at most `rows` × `columns`: value (i, j) belongs to cell (⌊i·R/N⌋, ⌊j·C/M⌋). A cell
// is hidden if all of it is; other hidden values count as 0.
CellGrid pooled(const CellGrid& grid, Index rows, Index columns);

// How many columns of the terminal one cell takes, and how many rows of the matrix a line.
int cell_columns(CellForm form, TerminalColors colors, int number_width);
int rows_per_line(CellForm form, TerminalColors colors);

// One text per line, each of C · cell_columns display columns.
std::vector<std::string> cell_lines(const CellGrid& grid, CellForm form, const TerminalScale& scale,
                                    TerminalColors colors, int number_width, int digits);

}  // namespace fovea
