#include "plot/diagram_parts.h"

#include <algorithm>
#include <cmath>

#include "plot/readable_text.h"
#include "plot/text_measure.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr double kNumberSize = 7.5, kHeaderHeight = 16, kBandHeight = 3;
constexpr Index kMostNumbers = 10;      // rows or columns written with numbers
constexpr double kLargestPicture = 96;  // side of a matrix without numbers

std::string label_text(const std::string& label) {
  return shorten_middle(readable_token(label), {kNoteSize, false, scene::Family::sans}, 64);
}

double widest_label(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label_text(label), kNoteSize));
  return width;
}

double header_width(const MatrixBlock& block) {
  double width =
      text_width(block.name, kLabelSize, true) + 5 + text_width(block.matrix.shape_text(), kNoteSize);
  if (!block.formula.empty()) width += 5 + text_width(block.formula, kNoteSize);
  return width;
}

void add_curve(Scene& scene, scene::Point from, scene::Point first, scene::Point second, scene::Point to,
               Color color, double width) {
  scene::Curve curve;
  curve.from = from, curve.control1 = first, curve.control2 = second, curve.to = to;
  curve.stroke = {color, width, {}};
  curve.arrow = true;
  scene.add(curve);
}

// Name, formula and shape in one line.
void add_header(Scene& scene, const MatrixBlock& block, scene::Point at, const DiagramStyle& style) {
  double x = at.x;
  const double y = at.y + kHeaderHeight / 2 - 2;
  add_text(scene, block.name, {x, y}, {.size = kLabelSize, .color = style.colors.ink, .bold = true});
  x += text_width(block.name, kLabelSize, true) + 5;
  if (!block.formula.empty()) {
    add_text(scene, block.formula, {x, y}, {.size = kNoteSize, .color = style.colors.ink});
    x += text_width(block.formula, kNoteSize) + 5;
  }
  add_text(scene, block.matrix.shape_text(), {x, y}, {.size = kNoteSize, .color = style.colors.muted});
}

void add_cells(Scene& scene, const MatrixBlock& block, const BlockLayout& layout, const scene::Box& box,
               const DiagramStyle& style) {
  const Matrix& matrix = block.matrix;
  const double largest = block.colors == MatrixColors::weights ? 1 : largest_of(matrix);
  scene::Cells cells;
  cells.box = box;
  cells.rows = matrix.rows(), cells.columns = matrix.columns();
  for (const double value : matrix.values()) {
    cells.colors.push_back(cell_paint(value, largest, block.colors, style.colors).fill);
  }
  scene.add(cells);
  if (layout.numbers) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index j = 0; j < matrix.columns(); ++j) {
        const double value = matrix(i, j);
        add_text(scene, cell_number(value, style.digits),
                 {box.x + (static_cast<double>(j) + 0.5) * layout.cell_width,
                  box.y + (static_cast<double>(i) + 0.5) * layout.cell_height},
                 {.size = kNumberSize,
                  .color = cell_paint(value, largest, block.colors, style.colors).ink,
                  .anchor = scene::Anchor::middle});
      }
    }
  }
  scene::Rectangle frame;
  frame.box = box;
  frame.stroke = scene::Stroke{style.colors.muted, 0.7, {}};
  scene.add(frame);
}

void add_labels(Scene& scene, const MatrixBlock& block, const BlockLayout& layout, const scene::Box& box,
                const DiagramStyle& style) {
  if (!layout.numbers) return;
  for (std::size_t i = 0; i < block.row_labels.size(); ++i) {
    add_text(scene, label_text(block.row_labels[i]),
             {box.x - 4, box.y + (static_cast<double>(i) + 0.5) * layout.cell_height},
             {.size = kNoteSize, .color = style.colors.muted, .anchor = scene::Anchor::end});
  }
  for (std::size_t j = 0; j < block.column_labels.size(); ++j) {
    add_text(scene, label_text(block.column_labels[j]),
             {box.x + (static_cast<double>(j) + 0.5) * layout.cell_width, box.y - 7},
             {.size = kNoteSize, .color = style.colors.muted, .anchor = scene::Anchor::middle});
  }
}

}  // namespace

std::string cell_number(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return signed_fixed(value, digits);
}

double largest_of(const Matrix& matrix) {
  double largest = 0;
  for (const double value : matrix.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest > 0 ? largest : 1;
}

CellPaint cell_paint(double value, double largest, MatrixColors kind, const ThemeColors& colors) {
  static const Colormap kBlues("Blues"), kSigned("RdBu");
  if (!std::isfinite(value)) return {colors.hidden, colors.muted};
  // Signed values are pale, so that the weights stand out.
  const Color fill = kind == MatrixColors::weights
                         ? kBlues.color(value)
                         : mixed({255, 255, 255}, kSigned.color(0.5 + 0.5 * value / largest), 0.55);
  const double brightness = 0.299 * fill.red + 0.587 * fill.green + 0.114 * fill.blue;
  return {fill, brightness > 140 ? Color{0x1F, 0x23, 0x28} : Color{255, 255, 255}};
}

BlockLayout layout_of(const MatrixBlock& block, const DiagramStyle& style) {
  const Matrix& matrix = block.matrix;
  BlockLayout layout;
  layout.numbers = matrix.rows() <= kMostNumbers && matrix.columns() <= kMostNumbers;
  double left = 0, top = kHeaderHeight;
  if (layout.numbers) {
    double number = 0;
    for (const double value : matrix.values()) {
      number = std::max(number, text_width(cell_number(value, style.digits), kNumberSize));
    }
    layout.cell_width = std::max(number, widest_label(block.column_labels)) + 7;
    layout.cell_height = 15;
    if (!block.row_labels.empty()) left = widest_label(block.row_labels) + 5;
    if (!block.column_labels.empty()) top += 13;
  } else {
    const double longest = static_cast<double>(std::max(matrix.rows(), matrix.columns()));
    layout.cell_width = layout.cell_height = kLargestPicture / longest;
  }
  if (!block.column_bands.empty()) top += kBandHeight + 1;
  layout.cells = {left, top, layout.cell_width * static_cast<double>(matrix.columns()),
                  layout.cell_height * static_cast<double>(matrix.rows())};
  layout.width = std::max(layout.cells.right(), left + header_width(block));
  layout.height = layout.cells.bottom();
  return layout;
}

scene::Box add_block(Scene& scene, const MatrixBlock& block, scene::Point at, const DiagramStyle& style) {
  const BlockLayout layout = layout_of(block, style);
  scene::Box box = layout.cells;
  box.x += at.x, box.y += at.y;
  add_header(scene, block, {box.x, at.y}, style);
  add_cells(scene, block, layout, box, style);
  add_labels(scene, block, layout, box, style);
  for (std::size_t j = 0; j < block.column_bands.size(); ++j) {
    scene::Rectangle band;
    band.box = {box.x + static_cast<double>(j) * layout.cell_width, box.y - kBandHeight - 1,
                layout.cell_width, kBandHeight};
    band.fill = block.column_bands[j];
    scene.add(band);
  }
  return box;
}

void add_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width) {
  scene::Polyline line;
  line.points = {from, to};
  line.stroke = scene::Stroke{color, width, {}};
  line.arrow = true;
  scene.add(line);
}

void add_down_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width) {
  const double bend = (to.y - from.y) * 0.55;
  add_curve(scene, from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, color, width);
}

void add_right_arrow(Scene& scene, scene::Point from, scene::Point to, Color color, double width) {
  const double bend = (to.x - from.x) * 0.5;
  add_curve(scene, from, {from.x + bend, from.y}, {to.x - bend, to.y}, to, color, width);
}

const Step& step_of(const Account& account, const char* name, int head) {
  return account.step(name, account.heads > 1 ? head : -1);
}

bool has_step(const Account& account, const char* name, int head) {
  return account.has(name, account.heads > 1 ? head : -1);
}

}  // namespace fovea
