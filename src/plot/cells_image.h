// Cells of a heatmap as pictures.
#pragma once

#include "plot/cairo_painter.h"
#include "plot/scene.h"

namespace fovea {

// Up to this many cells are drawn as rectangles in vector formats; more as one picture.
inline constexpr Index kMostRectangles = 4096;

// Opaque, width × height pixels. Where cells are smaller than pixels a pixel shows the mean of those it
// covers, where they are larger each pixel has the colour of one cell.
SurfacePointer cells_image(const scene::Cells& cells, int width, int height);

// Whole pixels for each cell, so many that the picture has at least 200 per inch: a reader that smooths
// pictures then blurs a hair's breadth only.
SurfacePointer enlarged_cells_image(const scene::Cells& cells);

// A cell as a rectangle. All but the last column and row reach under the next one, which is drawn later:
// exact neighbours would let the background shine through where a pixel belongs to both.
scene::Box cell_rectangle(const scene::Cells& cells, Index row, Index column);

}  // namespace fovea
