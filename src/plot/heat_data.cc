#include "plot/heat_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/at.h"
#include "core/fail.h"

namespace fovea {
namespace {

HeatData extents_of(ConstView weights, const HeatmapOptions& options) {
  if (weights.shape().rank() != 2 || weights.shape().elements() == 0) {
    fail("[heatmap] weights have shape {}, expected [N, M] with at least one of each",
         weights.shape().to_string());
  }
  HeatData data;
  const Index n = weights.shape()[0], m = weights.shape()[1];
  if (options.full_queries != 0 || options.full_keys != 0) {
    if (options.full_queries < n || options.full_keys < m) {
      fail("[heatmap] a thumbnail {} of a matrix [{}, {}], which is smaller", weights.shape().to_string(),
           options.full_queries, options.full_keys);
    }
    data.rows = n, data.columns = m;
    data.queries = options.full_queries, data.keys = options.full_keys;
  } else {
    data.queries = n, data.keys = m;
    data.rows = reduced_extent(n), data.columns = reduced_extent(m);
  }
  return data;
}

// The mean of each cell; weight (i, j) belongs to cell (⌊i·R/N⌋, ⌊j·C/M⌋) as in the thumbnails of
// statistics.
void fill_means(HeatData& data, ConstView weights) {
  const Index n = weights.shape()[0], m = weights.shape()[1];
  data.values.assign(at(data.rows * data.columns), 0);
  std::vector<double> rows(at(data.rows)), columns(at(data.columns));
  for (Index i = 0; i < n; ++i) ++rows[at(i * data.rows / n)];
  for (Index j = 0; j < m; ++j) ++columns[at(j * data.columns / m)];
  for (Index i = 0; i < n; ++i) {
    double* const row = data.values.data() + i * data.rows / n * data.columns;
    for (Index j = 0; j < m; ++j) {
      const float weight = weights(i, j);
      if (!std::isfinite(weight)) fail("[heatmap] the weight of query {} for key {} is {}", i, j, weight);
      row[j * data.columns / m] += weight;
    }
  }
  for (Index r = 0; r < data.rows; ++r) {
    for (Index c = 0; c < data.columns; ++c)
      data.values[at(r * data.columns + c)] /= rows[at(r)] * columns[at(c)];
  }
}

// Element (b, h, i, j) of flags whose leading axes may be missing or 1: [N, M], [B, 1, M], .., [B, H, N,
// M].
class BroadcastFlags {
 public:
  BroadcastFlags(Flags flags, Index batch, Index head) : flags_(std::move(flags)) {
    const Shape& shape = flags_.shape();
    const int rank = shape.rank();
    keys_ = shape[rank - 1], queries_ = shape[rank - 2];
    const Index heads = rank >= 4 ? shape[rank - 3] : 1;
    const Index entries = shape.elements() / std::max<Index>(1, heads * queries_ * keys_);
    check(batch, entries, "entries");
    check(head, heads, "heads");
    offset_ = ((entries == 1 ? 0 : batch) * heads + (heads == 1 ? 0 : head)) * queries_ * keys_;
  }
  bool operator()(Index i, Index j) const {
    return flags_.data()[offset_ + (queries_ == 1 ? 0 : i) * keys_ + (keys_ == 1 ? 0 : j)] != 0;
  }

 private:
  static void check(Index index, Index count, const char* what) {
    if (index < 0 || (count > 1 && index >= count))
      fail("[heatmap] the mask has {} {}, got index {}", count, what, index);
  }
  Flags flags_;
  Index queries_ = 1, keys_ = 1, offset_ = 0;
};

// First index of cell `cell`: the smallest i with ⌊i·cells/count⌋ = cell.
Index cell_begin(Index cell, Index count, Index cells) { return (cell * count + cells - 1) / cells; }

}  // namespace

Index reduced_extent(Index count) { return count > kMostTokens ? kReducedExtent : count; }

HeatData heat_data(ConstView weights, const HeatmapOptions& options, Index mask_head) {
  HeatData data = extents_of(weights, options);
  fill_means(data, weights);
  if (options.mask.is_none()) return data;
  bool any = false;
  for (const TileClass shown : classify_cells(options.mask, options.mask_batch, mask_head, data)) {
    data.hidden.push_back(shown == TileClass::hidden ? 1 : 0);
    any = any || shown == TileClass::hidden;
  }
  if (!any) data.hidden.clear();
  return data;
}

std::vector<TileClass> classify_cells(const Mask& mask, Index batch, Index head, const HeatData& extents) {
  const Index n = extents.queries, m = extents.keys, rows = extents.rows, columns = extents.columns;
  std::vector<TileClass> classes;
  classes.reserve(at(rows * columns));
  if (!extents.reduced()) {
    const BroadcastFlags visible(mask.to_bool(n, m), batch, head);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) classes.push_back(visible(i, j) ? TileClass::full : TileClass::hidden);
    }
    return classes;
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const Tile tile{batch,
                      head,
                      cell_begin(r, n, rows),
                      cell_begin(r + 1, n, rows),
                      cell_begin(c, m, columns),
                      cell_begin(c + 1, m, columns)};
      classes.push_back(mask.classify(tile, n, m));
    }
  }
  return classes;
}

void divide_by_row_maximum(HeatData& data) {
  for (Index r = 0; r < data.rows; ++r) {
    double maximum = 0;
    for (Index c = 0; c < data.columns; ++c) {
      const std::size_t cell = at(r * data.columns + c);
      if (!data.is_hidden(cell)) maximum = std::max(maximum, data.values[cell]);
    }
    if (maximum == 0) continue;
    for (Index c = 0; c < data.columns; ++c) data.values[at(r * data.columns + c)] /= maximum;
  }
}

double ColorScale::share(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return value > low ? std::log(value / low) / std::log(high / low) : 0;
}

ColorScale color_scale(const std::vector<HeatData>& panels, const ColorRange& range) {
  const bool logarithmic = range.kind == ColorRange::Kind::logarithm;
  if (range.kind == ColorRange::Kind::fixed) {
    if (!(range.low < range.high) || !std::isfinite(range.high - range.low)) {
      fail("[heatmap] colours from {} to {}: expected two finite numbers in ascending order", range.low,
           range.high);
    }
    return {range.low, range.high, false};
  }
  if (range.kind != ColorRange::Kind::data && !logarithmic) return {0, 1, false};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = kInfinity, high = -kInfinity;
  for (const HeatData& data : panels) {
    for (std::size_t cell = 0; cell < data.values.size(); ++cell) {
      const double value = data.values[cell];
      if (data.is_hidden(cell) || (logarithmic && value <= 0)) continue;
      low = std::min(low, value), high = std::max(high, value);
    }
  }
  if (low > high) return {logarithmic ? 1e-6 : 0, 1, logarithmic};  // nothing is visible
  constexpr double kDecades = 1e-6;
  if (logarithmic) low = std::max(low, high * kDecades);
  if (high - low > 1e-9 * std::max(std::abs(low), std::abs(high))) return {low, high, logarithmic};
  // All values are the same: show them at the upper end of a range that is not empty.
  return {logarithmic ? high / 10 : std::min(0.0, 2 * high), high > 0 ? high : (high < 0 ? 0.0 : 1.0),
          logarithmic};
}

}  // namespace fovea
