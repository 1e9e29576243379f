#include "plot/cells_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fovea {
namespace {

// Which cells a pixel shows along one axis, [begin, end), and how much of the first and the last.
struct Span {
  Index begin = 0, end = 1;
  double first = 1, last = 1;
  double weight(Index cell) const { return cell == begin ? first : cell == end - 1 ? last : 1; }
};

std::vector<Span> spans(Index cells, int pixels) {
  std::vector<Span> all(static_cast<std::size_t>(pixels));
  const double per_pixel = static_cast<double>(cells) / pixels;
  for (int p = 0; p < pixels; ++p) {
    Span& span = all[static_cast<std::size_t>(p)];
    if (per_pixel <= 1) {
      span.begin = std::min(static_cast<Index>((p + 0.5) * per_pixel), cells - 1);
      span.end = span.begin + 1;
      continue;
    }
    const double from = p * per_pixel, to = std::min((p + 1) * per_pixel, static_cast<double>(cells));
    span.begin = std::min(static_cast<Index>(from), cells - 1);
    span.end = std::clamp(static_cast<Index>(std::ceil(to)), span.begin + 1, cells);
    span.first = static_cast<double>(span.begin + 1) - from;
    span.last = span.end - span.begin > 1 ? to - static_cast<double>(span.end - 1) : span.first;
  }
  return all;
}

std::uint32_t pixel(const scene::Cells& cells, const Span& rows, const Span& columns) {
  const auto color_at = [&](Index row, Index column) {
    return cells.colors[static_cast<std::size_t>(row * cells.columns + column)];
  };
  Color color = color_at(rows.begin, columns.begin);
  if (rows.end - rows.begin > 1 || columns.end - columns.begin > 1) {
    std::array<double, 3> sum{};
    double total = 0;
    for (Index row = rows.begin; row < rows.end; ++row) {
      for (Index column = columns.begin; column < columns.end; ++column) {
        const double weight = rows.weight(row) * columns.weight(column);
        const Color c = color_at(row, column);
        sum[0] += weight * c.red, sum[1] += weight * c.green, sum[2] += weight * c.blue;
        total += weight;
      }
    }
    const auto mean = [&](double s) { return static_cast<std::uint8_t>(std::lround(s / total)); };
    color = {mean(sum[0]), mean(sum[1]), mean(sum[2])};
  }
  return std::uint32_t{color.red} << 16 | std::uint32_t{color.green} << 8 | color.blue;
}

}  // namespace

Image cells_image(const scene::Cells& cells, int width, int height) {
  Image image{width, height, {}};
  image.pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::vector<Span> columns = spans(cells.columns, width);
  for (const Span& row : spans(cells.rows, height)) {
    for (const Span& column : columns) image.pixels.push_back(pixel(cells, row, column));
  }
  return image;
}

Image enlarged_cells_image(const scene::Cells& cells) {
  const auto pixels = [](double points, Index count) {
    const double wanted = points * 200 / 72 / static_cast<double>(count);
    return static_cast<int>(count) * std::max(1, static_cast<int>(std::ceil(wanted)));
  };
  return cells_image(cells, pixels(cells.box.width, cells.columns), pixels(cells.box.height, cells.rows));
}

scene::Box cell_rectangle(const scene::Cells& cells, Index row, Index column) {
  constexpr double kUnder = 0.5;  // points: a pixel of most screens, and hardly seen at the outer edge
  const double width = cells.box.width / static_cast<double>(cells.columns);
  const double height = cells.box.height / static_cast<double>(cells.rows);
  return {cells.box.x + static_cast<double>(column) * width,
          cells.box.y + static_cast<double>(row) * height,
          width + (column + 1 < cells.columns ? std::min(kUnder, width) : 0),
          height + (row + 1 < cells.rows ? std::min(kUnder, height) : 0)};
}

}  // namespace fovea
