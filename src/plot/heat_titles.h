// What figures of weights say by default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/heatmap.h"
#include "plot/panel_grid.h"

namespace fovea {

std::string title_or(const std::optional<std::string>& given, const Text& standard, Language language);

extern const Text kQueryTitle, kKeyTitle, kWeightTitle;

// The label of the colour bar: "Attention weight", and what was done to the weights.
std::string weight_bar_title(const HeatmapOptions& options, const ColorRange& range);

// What a reader must know of the cells: means of many, hatched ones.
std::vector<std::string> cell_notes(const std::vector<Panel>& panels, Language language);

// Labels, titles of the axes, notes and look of a grid whose panels are there.
void set_axes_and_look(PanelGrid& grid, const HeatmapOptions& options);

ColorBar continuous_bar(const Colormap& colormap, const ColorScale& scale, std::string title);

// As many labels as queries and keys, or none; else throws Error.
void check_labels(const std::vector<std::string>& queries, const std::vector<std::string>& keys, Index n,
                  Index m);

}  // namespace fovea
