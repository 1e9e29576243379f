#include "plot/heat_titles.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/fail.h"
#include "fovea/colormap.h"
#include "plot/ticks.h"

namespace fovea {

const Text kQueryTitle{"Query", "Query（当前词）"};
const Text kKeyTitle{"Key", "Key（被关注的词）"};
const Text kWeightTitle{"Attention weight", "注意力权重"};

std::string title_or(const std::optional<std::string>& given, const Text& standard, Language language) {
  return given ? *given : standard.in(language);
}

std::string weight_bar_title(const HeatmapOptions& options, const ColorRange& range) {
  std::string title = title_or(options.bar_title, kWeightTitle, options.language);
  if (range.kind == ColorRange::Kind::row_maximum) {
    static const Text kDivided{" / row maximum", " ÷ 本行最大值"};
    title += kDivided.in(options.language);
  }
  return title;
}

std::vector<std::string> cell_notes(const std::vector<Panel>& panels, Language language) {
  std::vector<std::string> notes;
  const HeatData& data = panels.front().data;
  if (data.reduced()) {
    static const Text kMeans{"Each cell is the mean of about {} × {} weights ({} × {} in all).",
                             "每格是约 {} × {} 个权重的平均值（共 {} × {} 个）。"};
    const auto per_cell = [](Index count, Index cells) {
      return grouped(std::llround(static_cast<double>(count) / static_cast<double>(cells)));
    };
    notes.push_back(fmt::format(fmt::runtime(kMeans.in(language)), per_cell(data.queries, data.rows),
                                per_cell(data.keys, data.columns), grouped(data.queries),
                                grouped(data.keys)));
  }
  if (std::any_of(panels.begin(), panels.end(),
                  [](const Panel& panel) { return !panel.data.hidden.empty(); })) {
    static const Text kHatched{"Hatched: hidden by the mask.", "斜线格：被掩码遮挡。"};
    notes.push_back(kHatched.in(language));
  }
  return notes;
}

void set_axes_and_look(PanelGrid& grid, const HeatmapOptions& options) {
  grid.queries = options.queries;
  grid.keys = options.keys;
  grid.values = options.values;
  grid.query_title = title_or(options.query_title, kQueryTitle, options.language);
  grid.key_title = title_or(options.key_title, kKeyTitle, options.language);
  grid.notes = cell_notes(grid.panels, options.language);
  grid.theme = options.theme;
  grid.language = options.language;
}

ColorBar continuous_bar(const Colormap& colormap, const ColorScale& scale, std::string title) {
  constexpr int kMostTicks = 6;
  return {{colormap.table().begin(), colormap.table().end()},
          scale.logarithmic ? logarithmic_ticks(scale.low, scale.high, kMostTicks)
                            : linear_ticks(scale.low, scale.high, kMostTicks),
          std::move(title)};
}

void check_labels(const std::vector<std::string>& queries, const std::vector<std::string>& keys, Index n,
                  Index m) {
  const auto check = [](const std::vector<std::string>& labels, Index count, const char* what) {
    if (!labels.empty() && static_cast<Index>(labels.size()) != count) {
      fail("[figure] {} labels for {} {}", labels.size(), count, what);
    }
  };
  check(queries, n, "queries");
  check(keys, m, "keys");
}

}  // namespace fovea
