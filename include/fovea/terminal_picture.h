// Pictures in a terminal: heatmaps and bars in 24-bit colours, in the 256 of older terminals, or in shades.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/heatmap.h"
#include "fovea/language.h"
#include "fovea/tensor.h"

namespace fovea {

enum class TerminalColors { none, palette, full };  // shades ░▒▓█; 256 colours; 24 bits

struct FOVEA_API TerminalOptions {
  TerminalColors colors = TerminalColors::none;
  int width = 100;  // columns of the terminal
  Language language = Language::english;
};

// A matrix to be shown: rows are queries, columns keys.
struct FOVEA_API TerminalHeatmap {
  Tensor values;                           // [R, C], finite
  std::vector<std::string> row_labels;     // R, or none: numbers
  std::vector<std::string> column_labels;  // C, or none
  Flags hidden = {};                       // [R, C], 1 where a mask hides; empty: nothing
  Index rows = 0, columns = 0;             // N and M if the values are means of more; 0: R and C
  std::optional<double> low = {},
                        high = {};  // of the colours; default: 0 (or the least value) and the largest
  std::string colormap = "viridis";
  std::string title = {};
  bool numbers = true;  // in the cells, where they fit
  int digits = 3;       // their decimals
};

// Cells with their numbers where they fit into the width, squares of two columns otherwise, and half blocks
// (▀: two rows in one line) for more. What still is too wide is shrunk by taking means, and a line below
// says so. A scale of the colours follows. Every line ends with \n. Throws Error for values that are not
// finite, labels that are not as many as rows or columns, and unknown colormaps.
FOVEA_API std::string to_terminal(const TerminalHeatmap& heatmap, const TerminalOptions& options = {});

// Several small ones side by side, as many in a line as fit, with one scale of colours for all.
FOVEA_API std::string to_terminal(const std::vector<TerminalHeatmap>& panels,
                                  const TerminalOptions& options = {});

// What heatmap() and difference_heatmap() draw, for a terminal: labels, title, colours, range and mask as
// the options say. Throws Error for a logarithmic range, which the terminal's scale does not have.
FOVEA_API TerminalHeatmap terminal_heatmap(ConstView weights, const HeatmapOptions& options = {});
FOVEA_API TerminalHeatmap terminal_difference(ConstView a, ConstView b, const HeatmapOptions& options = {});

struct FOVEA_API TerminalBars {
  std::vector<double> values;  // finite, ≥ 0
  std::vector<std::string> labels;
  Index most = 64;  // bars; of more values, means of neighbours are shown under their positions
  std::string title = {};
  int digits = 3;
};
// One line per value: label, number, a bar in eighths of a column. The longest bar is the largest value.
FOVEA_API std::string to_terminal(const TerminalBars& bars, const TerminalOptions& options = {});

}  // namespace fovea
