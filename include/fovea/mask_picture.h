// Masks as pictures: who may see whom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/mask.h"

namespace fovea {

struct FOVEA_API MaskPictureOptions {
  std::vector<std::string> queries = {};  // labels as in HeatmapOptions
  std::vector<std::string> keys = {};
  std::optional<std::string> title = {};  // default: the mask in words, and the share of visible pairs
  std::optional<std::string> query_title = {};
  std::optional<std::string> key_title = {};
  std::string colormap = "Blues";  // its last colour: visible, its first: hidden
  Index mask_batch = 0;            // the entry of a mask that knows several
  Index mask_head = 0;
  Theme theme = Theme::light;
  Language language = Language::english;
};

// For N queries and M keys, both at least 1. Over 600 of them, at most 512 cells are drawn, and a cell may
// be partly visible.
FOVEA_API Figure mask_picture(const Mask& mask, Index n, Index m, const MaskPictureOptions& options = {});

}  // namespace fovea
