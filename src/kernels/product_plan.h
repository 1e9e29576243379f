// How a matrix product is cut.
#pragma once

#include <algorithm>

#include "kernels/matrix_product.h"

namespace fovea::kernels {

// Of the instruction set in use.
struct TileWidth {
  Index lanes;         // floats in a vector
  Index most_vectors;  // in a row of a tile: 3 or 4
};

// The columns of C in vectors, three to a panel. A single vector left over joins the last panel where tiles
// take four; else the last two panels have two each: tiles of one vector are slow.
class PanelLayout {
 public:
  PanelLayout(Index columns, const TileWidth& tile)
      : columns_(columns), lanes_(tile.lanes), vectors_((columns + lanes_ - 1) / lanes_) {
    const bool one_left = vectors_ % 3 == 1 && vectors_ > 3;
    panels_ = (vectors_ + 2) / 3 - (one_left && tile.most_vectors > 3 ? 1 : 0);
    two_at_end_ = one_left && tile.most_vectors == 3;
  }

  Index panels() const { return panels_; }
  Index beyond() const { return columns_ - whole_vectors() * lanes_; }  // columns that do not fill a vector
  Index begin(Index panel) const { return first_vector(panel) * lanes_; }  // its first column
  Index vectors(Index panel) const { return first_vector(panel + 1) - first_vector(panel); }
  Index width(Index panel) const { return vectors(panel) * lanes_; }
  Index columns(Index panel) const { return std::min(width(panel), columns_ - begin(panel)); }
  bool is_whole(Index panel) const { return begin(panel + 1) <= columns_; }

 private:
  Index whole_vectors() const { return vectors_ - (vectors_ * lanes_ > columns_ ? 1 : 0); }
  Index first_vector(Index panel) const {
    if (panel == panels_) return vectors_;
    return 3 * panel - (two_at_end_ && panel + 1 == panels_ ? 1 : 0);
  }
  Index columns_, lanes_, vectors_, panels_;
  bool two_at_end_;
};

// C is cut into pieces, one task each. Nothing of this changes a bit of the result.
struct ProductPlan {
  PanelLayout layout;
  Index rows_per_piece, panels_per_piece;
  Index panel_pieces = 1;  // pieces side by side
  Index pieces = 1;
  Index depth_part;  // so much of B is packed at a time
  bool a_in_place, b_in_place;
};

}  // namespace fovea::kernels
