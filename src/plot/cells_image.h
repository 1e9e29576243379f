// Cells of a heatmap as pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "plot/scene.h"

namespace fovea {

// An opaque picture: width × height pixels 0xRRGGBB, row by row from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};

// Up to this many cells are drawn as rectangles in vector formats; more as one picture.
inline constexpr Index kMostRectangles = 4096;

// Where cells are smaller than pixels a pixel shows the mean of those it covers, where they are larger each
// pixel has the colour of one cell.
Image cells_image(const scene::Cells& cells, int width, int height);

// Whole pixels for each cell, so many that the picture has at least 200 per inch: a reader that smooths
// pictures then blurs a hair's breadth only.
Image enlarged_cells_image(const scene::Cells& cells);

// A cell as a rectangle. All but the last column and row reach under the next one, which is drawn later:
// exact neighbours would let the background shine through where a pixel belongs to both.
scene::Box cell_rectangle(const scene::Cells& cells, Index row, Index column);

}  // namespace fovea
