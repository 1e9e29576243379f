// Many heads in one figure, with one range of colours.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/heatmap.h"

namespace fovea {

struct FOVEA_API HeadGridOptions {
  HeatmapOptions heatmap = {};  // labels, titles, colours; labels are drawn only where all of them fit
  // Numbers to show for the layers and heads that `weights` holds; none: 0, 1, 2, ..
  std::vector<Index> layers = {};
  std::vector<Index> heads = {};
  std::vector<std::string> panel_titles = {};  // one per panel, instead of the titles below
  std::vector<Mask> panel_masks = {};          // one per panel, instead of heatmap.mask: layers may differ
};

// weights [H, N, M]: the heads of a layer, titled "Head 1" .. "Head H" (or by `heads`), 2 × 4 for eight.
// weights [L, H, N, M]: layers below each other, heads side by side, titled "L3H7"; over 24 panels, rows
// and columns are titled instead.
FOVEA_API Figure head_grid(ConstView weights, const HeadGridOptions& options = {});

}  // namespace fovea
