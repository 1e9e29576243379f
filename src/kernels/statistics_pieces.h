// Sums over rows, kept apart for each piece of the rows and added in the order of the pieces: so the bits
// do not depend on which thread ran which piece.
#pragma once

#include <vector>

#include "fovea/tensor.h"
#include "kernels/statistics.h"
#include "kernels/strip_layout.h"

namespace fovea::kernels {

// Strips in a block of queries: they share each key block while it is in cache.
inline constexpr Index kBlockStrips = 4;

// The first row (or key) of cell c when n of them are put into `cells`: the least i with ⌊i·cells/n⌋ = c.
inline Index cell_begin(Index c, Index cells, Index n) { return (c * n + cells - 1) / cells; }

// The strips of all heads: as attention cuts them, or those of a crop's rows.
class StatisticsStrips {
 public:
  StatisticsStrips(const StatisticsProblem& problem, Index lanes);

  Index strips(Index head) const;
  StripRows rows(Index head, Index strip) const;

 private:
  const StatisticsProblem& problem_;
  StripCuts crop_;
  std::vector<HeadStrips> heads_;  // one for all, if they are cut alike; none for a crop
};

// What one piece, some strips of one head, adds to the sums.
struct StatisticsPiece {
  Index head = 0, first_strip = 0, end_strip = 0;
  Tensor received;            // [M]
  Index first_cell_row = 0;   // of the picture
  Tensor cell_sum, cell_max;  // [rows of cells touched, picture_columns]
  Tensor product;             // [M, C padded]: its part of Pᵀ·u

  void allocate(const StatisticsProblem& problem, const StatisticsStrips& strips, Index padded_columns);
};

// The strips of all heads in pieces of whole blocks, head by head, as many for each head (some may be
// empty). Depends on shapes, on the mask and on the instruction set alone.
std::vector<StatisticsPiece> make_pieces(const StatisticsProblem& problem, const StatisticsStrips& strips,
                                         Index padded_columns);

// Adds the pieces up, into received, picture_mean, picture_max and transposed_product.
void merge_pieces(const StatisticsProblem& problem, const std::vector<StatisticsPiece>& pieces);

}  // namespace fovea::kernels
