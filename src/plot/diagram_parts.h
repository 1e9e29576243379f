// Boxes, matrices and arrows of diagrams.
#pragma once

#include <string>
#include <vector>

#include "fovea/explain.h"
#include "plot/drawing.h"

namespace fovea {

enum class MatrixColors { signed_values, weights };

// A matrix with its name above it: cells with numbers if there are few, colours alone if there are more.
struct MatrixBlock {
  std::string name;     // bold: "scores"
  std::string formula;  // beside it: "Q Kᵀ"
  Matrix matrix;
  std::vector<std::string> row_labels = {}, column_labels = {};
  MatrixColors colors = MatrixColors::signed_values;
  std::vector<Color> column_bands = {};  // a line above the cells, one colour per column: whose head it is
};

struct DiagramStyle {
  const ThemeColors& colors;
  int digits = 2;
};

// What a block takes, and where its cells stand in it.
struct BlockLayout {
  double width = 0, height = 0;
  scene::Box cells;  // relative to the upper left corner of the block
  double cell_width = 0, cell_height = 0;
  bool numbers = true;
};
BlockLayout layout_of(const MatrixBlock& block, const DiagramStyle& style);

// Draws the block with its upper left corner at `at`; returns the box of its cells.
scene::Box add_block(Scene& scene, const MatrixBlock& block, scene::Point at, const DiagramStyle& style);

void add_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width = 1.2);
// Leaves `from` downwards and arrives at `to` from above.
void add_down_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width = 1.2);
// Leaves to the right, arrives from the left.
void add_right_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width = 1.2);

// "−∞" for −inf; a true minus.
std::string cell_number(double value, int digits);

struct CellPaint {
  Color fill, ink;
};
CellPaint cell_paint(double value, double largest, MatrixColors kind, const ThemeColors& colors);
double largest_of(const Matrix& matrix);  // by absolute value, of the finite ones; 1 if all are 0

// The step of that name and head; an account of one head knows no head.
const Step& step_of(const Account& account, const char* name, int head);
bool has_step(const Account& account, const char* name, int head);

}  // namespace fovea
