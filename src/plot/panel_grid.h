// Matrices in colours, side by side and below each other, with labels, titles and one colour bar: the
// layout that heatmaps, grids of heads and masks share.
#pragma once

#include <string>
#include <vector>

#include "fovea/figure.h"
#include "fovea/language.h"
#include "plot/heat_data.h"
#include "plot/scene.h"
#include "plot/ticks.h"

namespace fovea {

struct Panel {
  std::string title;  // above it; "": none
  HeatData data;
  std::vector<Color> colors;  // [R, C]
};

struct ColorBar {
  std::vector<Color> colors;  // from the bottom to the top
  std::vector<Tick> ticks;
  std::string title;
};

struct PanelGrid {
  Index columns = 1;
  std::vector<Panel> panels;  // row-major; the last row may be incomplete
  double panel_width = 0, panel_height = 0;
  std::vector<std::string> queries, keys;  // labels; empty: positions
  bool all_labels = false;                 // labels only if every token has room for one; else none
  bool values = false;                     // numbers in the cells, where they fit
  bool cell_lines = false;                 // thin lines between cells, where there is room
  std::vector<std::string> row_titles, column_titles;
  std::string title, query_title, key_title;
  std::vector<std::string> notes;  // small, below everything, a line each
  ColorBar bar;
  Theme theme = Theme::light;
  Language language = Language::english;
};

Figure draw_panel_grid(const PanelGrid& grid);

// The size of a cell, so that a matrix of this many has a good size alone on a page: `whole` points, less
// if they are few.
struct CellSize {
  double width = 0, height = 0;
};
CellSize cell_size(Index rows, Index columns, double whole = 520);

}  // namespace fovea
