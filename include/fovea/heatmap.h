// Attention weights as pictures: rows are queries, columns are keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/mask.h"
#include "fovea/tensor.h"

namespace fovea {

// Which values the first and the last colour stand for.
struct FOVEA_API ColorRange {
  enum class Kind {
    unit,         // 0 and 1
    row_maximum,  // 0 and 1, after each row was divided by its maximum: where each query looks most
    data,         // the smallest and the largest visible value
    logarithm,    // the same on a logarithmic scale, at most six decades down from the largest
    fixed,        // low and high
  };
  Kind kind = Kind::data;
  double low = 0, high = 1;  // for fixed

  static ColorRange unit() { return {Kind::unit, 0, 1}; }
  static ColorRange row_maximum() { return {Kind::row_maximum, 0, 1}; }
  static ColorRange data() { return {Kind::data, 0, 1}; }
  static ColorRange logarithm() { return {Kind::logarithm, 0, 1}; }
  static ColorRange fixed(double low, double high) { return {Kind::fixed, low, high}; }
};

struct FOVEA_API HeatmapOptions {
  // Labels, as many as there are queries and keys; none: their positions. Written readably in any script:
  // spaces and the marks for them as ␣, newlines as ↵, other bytes as \xNN; long ones are shortened in the
  // middle, and where they would collide only every second, third, .. is drawn.
  std::vector<std::string> queries = {};
  std::vector<std::string> keys = {};
  // Titles; what is not given is named in `language`, "" is left out.
  std::optional<std::string> title = {};
  std::optional<std::string> query_title = {};
  std::optional<std::string> key_title = {};
  std::optional<std::string> bar_title = {};
  std::string colormap = {};             // a name of colormap.h; "": what suits the figure
  std::optional<ColorRange> range = {};  // default: data for a heatmap, unit for a grid of heads
  Mask mask = {};                        // hidden cells are hatched, whatever their weight
  Index mask_batch = 0;                  // the entry of a mask that knows several
  Index mask_head = 0;                   // likewise; a grid of heads counts on from here
  bool values = true;                    // write the value in each cell, where it fits
  Theme theme = Theme::light;
  Language language = Language::english;
  // Set both if `weights` is the thumbnail [R, C] of a larger matrix, [full_queries, full_keys], as
  // AttentionStatistics has it. Labels and mask are then those of the large matrix.
  Index full_queries = 0;
  Index full_keys = 0;
};

// weights [N, M]; they must be finite. Over 600 queries or keys, the means of at most 512 cells are drawn,
// with positions instead of tokens, and the figure says so. Throws Error if numbers of labels disagree.
FOVEA_API Figure heatmap(ConstView weights, const HeatmapOptions& options = {});

// a − b, both [N, M]: RdBu, with 0 in the middle of the range unless that is fixed.
FOVEA_API Figure difference_heatmap(ConstView a, ConstView b, const HeatmapOptions& options = {});

}  // namespace fovea
