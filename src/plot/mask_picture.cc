#include "fovea/mask_picture.h"

#include <fmt/core.h>

#include <utility>

#include "core/fail.h"
#include "core/number_text.h"
#include "fovea/colormap.h"
#include "plot/heat_data.h"
#include "plot/heat_titles.h"
#include "plot/panel_grid.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

const Text kHidden{"hidden", "遮挡"};
const Text kPartly{"partly visible", "部分可见"};
const Text kVisible{"visible", "可见"};

// The mask in words, such as "causal: 56.2 % visible", with a capital.
std::string mask_title(const Mask& mask, Index n, Index m, Language language) {
  if (language == Language::chinese) {
    return fmt::format("掩码 {} × {}：{} 可见", grouped(n), grouped(m), percent(mask.density(n, m)));
  }
  std::string title = mask.describe(n, m);
  if (title.front() >= 'a' && title.front() <= 'z')
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

std::string cells_note(const HeatData& data, Language language) {
  static const Text kNote{"{} × {} pairs in {} × {} cells.", "{} × {} 个位置对，画成 {} × {} 格。"};
  return fmt::format(fmt::runtime(kNote.in(language)), grouped(data.queries), grouped(data.keys), data.rows,
                     data.columns);
}

}  // namespace

Figure mask_picture(const Mask& mask, Index n, Index m, const MaskPictureOptions& options) {
  if (n < 1 || m < 1) fail("[mask picture] {} queries and {} keys, expected at least one of each", n, m);
  check_labels(options.queries, options.keys, n, m);
  HeatData data;
  data.queries = n, data.keys = m;
  data.rows = reduced_extent(n), data.columns = reduced_extent(m);
  const Colormap colormap(options.colormap);
  const Color hidden = colormap.color(0), partly = colormap.color(0.5), visible = colormap.color(1);
  std::vector<Color> colors;
  bool any_partly = false;
  for (const TileClass shown : classify_cells(mask, options.mask_batch, options.mask_head, data)) {
    colors.push_back(shown == TileClass::hidden ? hidden : shown == TileClass::full ? visible : partly);
    any_partly = any_partly || shown == TileClass::partial;
  }

  PanelGrid grid;
  grid.bar.colors = {hidden, visible};
  grid.bar.ticks = {{0.25, kHidden.in(options.language)}, {0.75, kVisible.in(options.language)}};
  if (any_partly) {
    grid.bar.colors = {hidden, partly, visible};
    grid.bar.ticks = {{1 / 6.0, kHidden.in(options.language)},
                      {0.5, kPartly.in(options.language)},
                      {5 / 6.0, kVisible.in(options.language)}};
  }
  if (data.reduced()) grid.notes.push_back(cells_note(data, options.language));
  const CellSize cell = cell_size(data.rows, data.columns, 380);
  grid.panel_width = cell.width * static_cast<double>(data.columns);
  grid.panel_height = cell.height * static_cast<double>(data.rows);
  grid.panels.push_back({"", std::move(data), std::move(colors)});
  grid.queries = options.queries;
  grid.keys = options.keys;
  grid.cell_lines = true;
  grid.title = options.title ? *options.title : mask_title(mask, n, m, options.language);
  grid.query_title = title_or(options.query_title, kQueryTitle, options.language);
  grid.key_title = title_or(options.key_title, kKeyTitle, options.language);
  grid.theme = options.theme;
  grid.language = options.language;
  return draw_panel_grid(grid);
}

}  // namespace fovea
