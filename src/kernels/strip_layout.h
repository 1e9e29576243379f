// How the queries of a head are cut into strips.
#pragma once

#include <vector>

#include "kernels/attention.h"

namespace fovea::kernels {

inline constexpr Index kStripVectors = 3;  // vectors of queries in a whole strip

// The queries of one strip.
struct StripRows {
  Index first = 0;  // into `order`, or the first query itself
  Index count = 0;
  const Index* order = nullptr;  // null: neighbouring queries
  bool scattered = false;        // they see many separate keys

  Index row(Index r) const { return order == nullptr ? first + r : order[first + r]; }
};

// `rows` queries in strips of 3 vectors; the last ones hold 2, so that no strip of one vector is left,
// which would keep the FMA units half busy.
class StripCuts {
 public:
  StripCuts(Index rows, Index lanes) : rows_(rows), lanes_(lanes) {
    const Index vectors = (rows + lanes - 1) / lanes;
    const Index twos = vectors % 3 == 0 ? 0 : vectors % 3 == 2 ? 1 : vectors > 1 ? 2 : 0;
    threes_ = (vectors - 2 * twos) / 3;
    strips_ = threes_ + twos + (vectors == 1 ? 1 : 0);
  }
  Index strips() const { return strips_; }
  Index first_row(Index strip) const {
    return std::min(rows_, lanes_ * (strip <= threes_ ? 3 * strip : 3 * threes_ + 2 * (strip - threes_)));
  }

 private:
  Index rows_, lanes_, threes_ = 0, strips_ = 0;
};

// All strips of one head. Under a mask that scatters, the rows that see few intervals come first, then
// those that see many separate keys: a row that sees everything (a global row of a sparse mask) would make
// its neighbours compute everything, too.
class HeadStrips {
 public:
  HeadStrips(const ScoreProblem& problem, Index head_index, Index lanes);

  Index strips() const { return plain_.strips() + scattered_.strips(); }
  StripRows rows(Index strip) const;

 private:
  std::vector<Index> order_;  // empty: as they are
  Index plain_rows_;
  StripCuts plain_, scattered_;
};

}  // namespace fovea::kernels
