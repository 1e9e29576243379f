#include "fovea/heatmap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "fovea/colormap.h"
#include "plot/heat_data.h"
#include "plot/heat_titles.h"
#include "plot/panel.h"
#include "plot/panel_grid.h"

namespace fovea {
namespace {

const Text kTitle{"Attention weights", "注意力权重"};
const Text kDifferenceTitle{"Difference of attention weights", "注意力权重之差"};
const Text kDifference{"Difference", "差值"};

Figure draw(ConstView weights, const HeatmapOptions& options, const ColorRange& range,
            const std::string& colormap_name) {
  HeatData data = heat_data(weights, options, options.mask_head);
  check_labels(options.queries, options.keys, data.queries, data.keys);
  if (range.kind == ColorRange::Kind::row_maximum) divide_by_row_maximum(data);
  const ColorScale scale = color_scale({data}, range);
  const Colormap colormap(colormap_name);
  const CellSize cell = cell_size(data.rows, data.columns);

  PanelGrid grid;
  grid.panel_width = cell.width * static_cast<double>(data.columns);
  grid.panel_height = cell.height * static_cast<double>(data.rows);
  std::vector<Color> colors = cell_colors(data, scale, colormap, options.theme);
  grid.panels.push_back({"", std::move(data), std::move(colors)});
  set_axes_and_look(grid, options);
  grid.title = title_or(options.title, kTitle, options.language);
  grid.bar = continuous_bar(colormap, scale, weight_bar_title(options, range));
  return draw_panel_grid(grid);
}

}  // namespace

Figure heatmap(ConstView weights, const HeatmapOptions& options) {
  return draw(weights, options, options.range.value_or(ColorRange::data()),
              options.colormap.empty() ? "viridis" : options.colormap);
}

Figure difference_heatmap(ConstView a, ConstView b, const HeatmapOptions& options) {
  if (a.shape() != b.shape() || a.shape().rank() != 2) {
    fail("[difference heatmap] weights have shapes {} and {}, expected the same [N, M]",
         a.shape().to_string(), b.shape().to_string());
  }
  Tensor difference = Tensor::uninitialized(a.shape());
  for (Index i = 0; i < a.shape()[0]; ++i) {
    for (Index j = 0; j < a.shape()[1]; ++j) difference(i, j) = a(i, j) - b(i, j);
  }
  HeatmapOptions named = options;
  if (!named.title) named.title = kDifferenceTitle.in(options.language);
  if (!named.bar_title) named.bar_title = kDifference.in(options.language);
  ColorRange range = options.range.value_or(ColorRange::data());
  if (range.kind != ColorRange::Kind::fixed) {
    const HeatData data = heat_data(difference, options, options.mask_head);
    const ColorScale seen = color_scale({data}, ColorRange::data());
    const double largest = std::max(std::abs(seen.low), std::abs(seen.high));
    range = ColorRange::fixed(-largest, largest);
  }
  return draw(difference, named, range, options.colormap.empty() ? "RdBu" : options.colormap);
}

}  // namespace fovea
