// Sums over rows, kept apart for each piece of the rows and added in the order of the pieces: so the bits
// do not depend on which thread ran which piece.
#pragma once

#include <vector>

#include "fovea/tensor.h"
#include "kernels/statistics.h"

namespace fovea::kernels {

// The first row (or key) of cell c when n of them are put into `cells`: the least i with ⌊i·cells/n⌋ = c.
inline Index cell_begin(Index c, Index cells, Index n) { return (c * n + cells - 1) / cells; }

// What one piece, rows [row_begin, row_end) of one head, adds to the sums.
struct StatisticsPiece {
  Index head = 0, row_begin = 0, row_end = 0;
  Tensor received;            // [M]
  Index first_cell_row = 0;   // of the picture
  Tensor cell_sum, cell_max;  // [rows of cells touched, picture_columns]
  Tensor product;             // [M, C padded]: its part of Pᵀ·u

  void allocate(const StatisticsProblem& problem, Index padded_columns);
};

// The rows of all heads in pieces, head by head. Depends on shapes and on rows per block alone.
std::vector<StatisticsPiece> make_pieces(const StatisticsProblem& problem, Index block_rows,
                                         Index padded_columns);

// Adds the pieces up, into received, picture_mean, picture_max and transposed_product.
void merge_pieces(const StatisticsProblem& problem, const std::vector<StatisticsPiece>& pieces);

}  // namespace fovea::kernels
