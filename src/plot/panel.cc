#include "plot/panel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "plot/text_measure.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

using namespace scene;  // NOLINT: shapes

constexpr int kValueDecimals = 3;

// Linear light of an 8-bit sRGB channel, 0..1 (WCAG 2).
double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Color color) {
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

struct CellGrid {
  Box box;
  double width, height;  // of a cell
  CellGrid(const Box& whole, const HeatData& data)
      : box(whole),
        width(whole.width / static_cast<double>(data.columns)),
        height(whole.height / static_cast<double>(data.rows)) {}
  double x(Index column) const { return box.x + static_cast<double>(column) * width; }
  double y(Index row) const { return box.y + static_cast<double>(row) * height; }
};

// The hidden cells as few boxes: runs of a row, and rows with the same run as one.
std::vector<Box> hidden_boxes(const HeatData& data, const CellGrid& cells) {
  std::vector<Box> boxes;
  std::map<std::pair<Index, Index>, std::size_t> open;  // run [begin, end) of the row above → its box
  for (Index row = 0; row < data.rows; ++row) {
    std::map<std::pair<Index, Index>, std::size_t> current;
    for (Index begin = 0; begin < data.columns;) {
      const auto hidden = [&](Index c) {
        return data.is_hidden(static_cast<std::size_t>(row * data.columns + c));
      };
      Index end = begin + 1;
      while (end < data.columns && hidden(end) == hidden(begin)) ++end;
      if (hidden(begin)) {
        const std::pair run{begin, end};
        if (const auto above = open.find(run); above != open.end()) {
          boxes[above->second].height = cells.y(row + 1) - boxes[above->second].y;
          current[run] = above->second;
        } else {
          current[run] = boxes.size();
          boxes.push_back({cells.x(begin), cells.y(row), cells.x(end) - cells.x(begin), cells.height});
        }
      }
      begin = end;
    }
    open = std::move(current);
  }
  return boxes;
}

// The size at which the widest number fits into a cell; 0 if it would be too small to read.
double value_size(const HeatData& data, const CellGrid& cells) {
  std::string widest;
  for (std::size_t cell = 0; cell < data.values.size(); ++cell) {
    if (data.is_hidden(cell)) continue;
    std::string text = signed_fixed(data.values[cell], kValueDecimals);
    if (text.size() > widest.size()) widest = std::move(text);
  }
  if (widest.empty()) return 0;
  const double per_point = measure_text(widest, {10, false, Family::sans}).width / 10;
  const double size = std::min({9.0, 0.45 * cells.height, 0.8 * cells.width / per_point});
  return size >= kSmallestSize ? size : 0;
}

void draw_values(Scene& scene, const Panel& panel, const CellGrid& cells) {
  // A cell that is narrower than this holds no number: spares formatting a million of them.
  if (cells.width < 2 * kSmallestSize) return;
  const HeatData& data = panel.data;
  const double size = value_size(data, cells);
  if (size == 0) return;
  for (Index row = 0; row < data.rows; ++row) {
    for (Index column = 0; column < data.columns; ++column) {
      const auto cell = static_cast<std::size_t>(row * data.columns + column);
      if (data.is_hidden(cell)) continue;
      scene.add(Label{signed_fixed(data.values[cell], kValueDecimals),
                      {cells.x(column) + cells.width / 2, cells.y(row) + cells.height / 2},
                      {size, false, Family::sans},
                      readable_ink(panel.colors[cell]),
                      Anchor::middle,
                      VerticalAnchor::middle});
    }
  }
}

void draw_cell_lines(Scene& scene, const HeatData& data, const CellGrid& cells, Color color) {
  if (std::min(cells.width, cells.height) < 6) return;
  const Stroke stroke{color, 0.6, {}};
  for (Index row = 1; row < data.rows; ++row) {
    scene.add(Polyline{{{cells.box.x, cells.y(row)}, {cells.box.right(), cells.y(row)}}, stroke, {}});
  }
  for (Index column = 1; column < data.columns; ++column) {
    scene.add(
        Polyline{{{cells.x(column), cells.box.y}, {cells.x(column), cells.box.bottom()}}, stroke, {}});
  }
}

}  // namespace

std::vector<Color> cell_colors(const HeatData& data, const ColorScale& scale, const Colormap& colormap,
                               Theme theme) {
  std::vector<Color> colors(data.values.size());
  for (std::size_t cell = 0; cell < colors.size(); ++cell) {
    colors[cell] =
        data.is_hidden(cell) ? theme_colors(theme).hidden : colormap.color(scale.share(data.values[cell]));
  }
  return colors;
}

Color readable_ink(Color background) {
  // The contrast with white is 1.05 / (L + 0.05), with black (L + 0.05) / 0.05: equal at L = 0.179.
  return luminance(background) > 0.179 ? Color{0, 0, 0} : Color{255, 255, 255};
}

void draw_panel(Scene& scene, const Panel& panel, const scene::Box& box, const PanelStyle& style) {
  const ThemeColors& colors = theme_colors(style.theme);
  const CellGrid cells(box, panel.data);
  scene.add(Cells{box, panel.data.rows, panel.data.columns, panel.colors});
  if (!panel.data.hidden.empty()) {
    const double spacing = std::clamp(std::min(cells.width, cells.height) / 5, 2.5, 5.0);
    scene.add(Hatch{hidden_boxes(panel.data, cells), colors.hatch, spacing, 0.12 * spacing});
  }
  if (style.cell_lines) draw_cell_lines(scene, panel.data, cells, colors.grid);
  if (style.values) draw_values(scene, panel, cells);
  scene.add(Rectangle{box, {}, Stroke{colors.ink, 0.6, {}}});
}

}  // namespace fovea
