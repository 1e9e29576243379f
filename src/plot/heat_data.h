// The numbers of a heatmap: reduced if they are too many, scaled, and hidden where the mask says so.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/heatmap.h"

namespace fovea {

inline constexpr Index kMostTokens = 600;     // more queries or keys are reduced
inline constexpr Index kReducedExtent = 512;  // to this many cells

// R×C cells that stand for N queries and M keys; R = N and C = M unless they were reduced.
struct HeatData {
  Index rows = 0, columns = 0;
  Index queries = 0, keys = 0;
  std::vector<double> values;        // [R, C]
  std::vector<std::uint8_t> hidden;  // [R, C]; empty if nothing is

  bool reduced() const { return rows != queries || columns != keys; }
  bool is_hidden(std::size_t cell) const { return !hidden.empty() && hidden[cell] != 0; }
};

// weights [N, M], or the thumbnail [R, C] that the options speak of. Throws Error for another rank, nothing
// to show, or a weight that is not finite.
HeatData heat_data(ConstView weights, const HeatmapOptions& options, Index mask_head);

// What the mask shows of each cell, [R, C]; `extents` says which pairs belong to a cell.
std::vector<TileClass> classify_cells(const Mask& mask, Index batch, Index head, const HeatData& extents);

// R for N queries, C for M keys.
Index reduced_extent(Index count);

void divide_by_row_maximum(HeatData& data);  // of the visible cells

struct ColorScale {
  double low = 0, high = 1;  // low < high
  bool logarithmic = false;  // then 0 < low
  double share(double value) const;
};

// One scale for all panels. Row maxima must be divided before.
ColorScale color_scale(const std::vector<HeatData>& panels, const ColorRange& range);

}  // namespace fovea
