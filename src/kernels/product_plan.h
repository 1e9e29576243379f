// How a matrix product is cut.
#pragma once

#include "kernels/matrix_product.h"

namespace fovea::kernels {

// C is cut into pieces, one task each. Nothing of this changes a bit of the result.
struct ProductPlan {
  Index panels;  // of all columns
  Index rows_per_piece, panels_per_piece;
  Index panel_pieces = 1;  // pieces side by side
  Index pieces = 1;
  Index depth_part;  // so much of B is packed at a time
  bool a_in_place, b_in_place;
};

}  // namespace fovea::kernels
