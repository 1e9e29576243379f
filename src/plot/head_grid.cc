#include "fovea/head_grid.h"

#include <fmt/core.h>

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

constexpr Index kMostPanelTitles = 24;

// Near square, wider than high: 2×4 for eight.
Index columns_for(Index heads) {
  auto columns = static_cast<Index>(std::ceil(std::sqrt(1.5 * static_cast<double>(heads))));
  const Index rows = (heads + columns - 1) / columns;
  return (heads + rows - 1) / rows;
}

std::vector<Index> numbers(const std::vector<Index>& given, Index count, Index first, const char* what) {
  if (!given.empty() && static_cast<Index>(given.size()) != count) {
    fail("[head grid] {} numbers for {} {}", given.size(), count, what);
  }
  std::vector<Index> all = given;
  for (Index i = 0; given.empty() && i < count; ++i) all.push_back(first + i);
  return all;
}

void check(ConstView weights, const HeadGridOptions& options) {
  const Shape& shape = weights.shape();
  if ((shape.rank() != 3 && shape.rank() != 4) || shape.elements() == 0) {
    fail("[head grid] weights have shape {}, expected [H, N, M] or [L, H, N, M] with at least one of each",
         shape.to_string());
  }
  const Index panels = shape.rank() == 4 ? shape[0] * shape[1] : shape[0];
  if (!options.panel_titles.empty() && static_cast<Index>(options.panel_titles.size()) != panels) {
    fail("[head grid] {} titles for {} panels", options.panel_titles.size(), panels);
  }
  if (!options.panel_masks.empty() && static_cast<Index>(options.panel_masks.size()) != panels) {
    fail("[head grid] {} masks for {} panels", options.panel_masks.size(), panels);
  }
}

void set_heads_of_one_layer(PanelGrid& grid, const HeadGridOptions& options, Index heads) {
  const Language language = options.heatmap.language;
  static const Text kHead{"Head {}", "头 {}"}, kTitle{"Attention heads", "各注意力头"};
  static const Text kLayerTitle{"Layer {} Attention Heads", "第 {} 层的注意力头"};
  grid.columns = columns_for(heads);
  const std::vector<Index> shown = numbers(options.heads, heads, 1, "heads");
  for (Index h = 0; h < heads; ++h) {
    grid.panels[static_cast<std::size_t>(h)].title =
        fmt::format(fmt::runtime(kHead.in(language)), shown[static_cast<std::size_t>(h)]);
  }
  const std::vector<Index> layer =
      numbers(options.layers, static_cast<Index>(options.layers.size()), 0, "layers");
  grid.title = layer.size() == 1 ? fmt::format(fmt::runtime(kLayerTitle.in(language)), layer.front())
                                 : kTitle.in(language);
}

void set_layers_and_heads(PanelGrid& grid, const HeadGridOptions& options, Index layers, Index heads) {
  const Language language = options.heatmap.language;
  static const Text kLayer{"Layer {}", "第 {} 层"}, kHead{"Head {}", "头 {}"};
  static const Text kTitle{"Attention of {} layers × {} heads", "{} 层 × {} 头的注意力"};
  grid.columns = heads;
  grid.title = fmt::format(fmt::runtime(kTitle.in(language)), layers, heads);
  const std::vector<Index> layer = numbers(options.layers, layers, 0, "layers");
  const std::vector<Index> head = numbers(options.heads, heads, 0, "heads");
  if (layers * heads <= kMostPanelTitles) {
    for (std::size_t i = 0; i < grid.panels.size(); ++i) {
      const auto h = static_cast<std::size_t>(heads);
      grid.panels[i].title = fmt::format("L{}H{}", layer[i / h], head[i % h]);
    }
    return;
  }
  for (const Index l : layer) grid.row_titles.push_back(fmt::format(fmt::runtime(kLayer.in(language)), l));
  for (const Index h : head) grid.column_titles.push_back(fmt::format(fmt::runtime(kHead.in(language)), h));
}

// All columns together take about a page; a panel of few tokens need not be large.
void set_panel_size(PanelGrid& grid) {
  constexpr double kPage = 790, kSmallest = 64, kLargest = 150, kLargestCell = 30;
  const HeatData& data = grid.panels.front().data;
  const double side = std::clamp(kPage / static_cast<double>(grid.columns), kSmallest, kLargest);
  const double cell = std::min(kLargestCell, side / static_cast<double>(std::max(data.rows, data.columns)));
  grid.panel_width = std::max(cell * static_cast<double>(data.columns), kSmallest / 2);
  grid.panel_height = std::max(cell * static_cast<double>(data.rows), kSmallest / 2);
}

}  // namespace

Figure head_grid(ConstView weights, const HeadGridOptions& options) {
  check(weights, options);
  const HeatmapOptions& common = options.heatmap;
  const bool layered = weights.shape().rank() == 4;
  const Index layers = layered ? weights.shape()[0] : 1, heads = weights.shape()[layered ? 1 : 0];
  const ColorRange range = common.range.value_or(ColorRange::unit());
  std::vector<HeatData> data;
  for (Index l = 0; l < layers; ++l) {
    const ConstView layer = layered ? ConstView(weights.select(0, l)) : weights;
    for (Index h = 0; h < heads; ++h) {
      if (options.panel_masks.empty()) {
        data.push_back(
            heat_data(layer.select(0, h), common, common.mask_head + (common.mask.heads() > 1 ? h : 0)));
      } else {
        HeatmapOptions of_panel = common;
        of_panel.mask = options.panel_masks[data.size()];
        data.push_back(heat_data(layer.select(0, h), of_panel, 0));
      }
      if (range.kind == ColorRange::Kind::row_maximum) divide_by_row_maximum(data.back());
    }
  }
  check_labels(common.queries, common.keys, data.front().queries, data.front().keys);
  const ColorScale scale = color_scale(data, range);
  const Colormap colormap(common.colormap.empty() ? "Blues" : common.colormap);

  PanelGrid grid;
  for (HeatData& panel : data) {
    std::vector<Color> colors = cell_colors(panel, scale, colormap, common.theme);
    grid.panels.push_back({"", std::move(panel), std::move(colors)});
  }
  if (layered) {
    set_layers_and_heads(grid, options, layers, heads);
  } else {
    set_heads_of_one_layer(grid, options, heads);
  }
  for (std::size_t i = 0; i < options.panel_titles.size(); ++i)
    grid.panels[i].title = options.panel_titles[i];
  if (common.title) grid.title = *common.title;
  set_panel_size(grid);
  set_axes_and_look(grid, common);
  grid.all_labels = true;
  grid.bar = continuous_bar(colormap, scale, weight_bar_title(common, range));
  return draw_panel_grid(grid);
}

}  // namespace fovea
