// One matrix of coloured cells: its hatching, its numbers and its frame.
#pragma once

#include <vector>

#include "fovea/colormap.h"
#include "plot/panel_grid.h"
#include "plot/scene.h"
#include "plot/theme.h"

namespace fovea {

std::vector<Color> cell_colors(const HeatData& data, const ColorScale& scale, const Colormap& colormap,
                               Theme theme);

struct PanelStyle {
  bool values = false;
  bool cell_lines = false;
  Theme theme = Theme::light;
};
void draw_panel(Scene& scene, const Panel& panel, const scene::Box& box, const PanelStyle& style);

// Black or white, whichever can be read better on this colour.
Color readable_ink(Color background);

}  // namespace fovea
