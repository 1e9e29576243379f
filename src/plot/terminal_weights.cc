// Weights for the terminal: the numbers that a TerminalHeatmap shows.
#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/terminal_picture.h"

namespace fovea {
namespace {

constexpr Index kMostHidden = 2048;  // flags of larger masks are not worth their memory in a terminal

// What the mask hides of [N, M]; none where it hides nothing or there are too many pairs.
Flags hidden_of(const HeatmapOptions& options, Index n, Index m) {
  if (options.mask.is_none() || std::max(n, m) > kMostHidden) return {};
  Flags hidden = Flags::filled({n, m}, 0);
  for (Index i = 0; i < n; ++i) {
    const std::vector<TileClass> row =
        options.mask.classify_band({options.mask_batch, options.mask_head, i, i + 1, 0, m}, 1, n, m);
    for (std::size_t j = 0; j < row.size(); ++j) hidden(i, j) = row[j] == TileClass::hidden ? 1 : 0;
  }
  return hidden;
}

void divide_by_row_maxima(Tensor& values) {
  for (Index i = 0; i < values.shape()[0]; ++i) {
    float* row = values.data() + i * values.shape()[1];
    const float largest = *std::max_element(row, row + values.shape()[1]);
    if (largest > 0) std::for_each(row, row + values.shape()[1], [&](float& value) { value /= largest; });
  }
}

void set_range(TerminalHeatmap& h, const ColorRange& range) {
  switch (range.kind) {
    case ColorRange::Kind::unit:
      h.low = 0, h.high = 1;
      return;
    case ColorRange::Kind::fixed:
      h.low = range.low, h.high = range.high;
      return;
    case ColorRange::Kind::row_maximum:
      return divide_by_row_maxima(h.values);
    case ColorRange::Kind::logarithm:
      fail("[terminal] the terminal only has a linear colour scale; a logarithmic range needs a file");
    case ColorRange::Kind::data:
      return;
  }
}

}  // namespace

TerminalHeatmap terminal_heatmap(ConstView weights, const HeatmapOptions& options) {
  if (weights.shape().rank() != 2) {
    fail("[terminal] weights have shape {}, expected [N, M]", weights.shape().to_string());
  }
  TerminalHeatmap h;
  h.values = Tensor::copy_of(weights);
  const bool cells = options.full_queries > 0 || options.full_keys > 0;
  h.rows = cells ? options.full_queries : weights.shape()[0];
  h.columns = cells ? options.full_keys : weights.shape()[1];
  if (!cells) {
    h.row_labels = options.queries, h.column_labels = options.keys;
    h.hidden = hidden_of(options, h.rows, h.columns);
  }
  if (!options.colormap.empty()) h.colormap = options.colormap;
  h.title = options.title.value_or("");
  h.numbers = options.values;
  if (options.range) set_range(h, *options.range);
  return h;
}

TerminalHeatmap terminal_difference(ConstView a, ConstView b, const HeatmapOptions& options) {
  if (!(a.shape() == b.shape())) {
    fail("[terminal] got {} and {}, expected the same shape", a.shape().to_string(), b.shape().to_string());
  }
  Tensor difference = Tensor::copy_of(a);
  const Tensor other = Tensor::copy_of(b);
  float largest = 0;
  for (Index i = 0; i < difference.shape().elements(); ++i) {
    difference.data()[i] -= other.data()[i];
    largest = std::max(largest, std::abs(difference.data()[i]));
  }
  TerminalHeatmap h = terminal_heatmap(difference, options);
  if (options.colormap.empty()) h.colormap = "RdBu";
  if (!h.low) h.low = -static_cast<double>(largest), h.high = static_cast<double>(largest);
  return h;
}

}  // namespace fovea
