// What a strip of queries may see: the mask's intervals of each of its rows.
#pragma once

#include <vector>

#include "mask/mask_node.h"

namespace fovea::kernels {

// The part of a key block that some row of the strip sees; empty if begin == end.
struct VisibleSpan {
  Index begin = 0;
  Index end = 0;
  bool full = true;  // every row sees all of it
};

class RowVisibility {
 public:
  // Asks the mask (null: everything visible) for rows first.query .. + rows.
  void load(const MaskNode* mask, const Row& first, Index rows);

  // Summary of keys [begin, end) over all rows, cut to what is visible at all.
  VisibleSpan span(Index begin, Index end) const;

  // Writes `value` at [(j − begin) · width + row] for every row and hidden key j of [begin, end).
  void fill_hidden(Index begin, Index end, Index width, float value, float* tile) const;

 private:
  bool everything_ = true;
  std::vector<Intervals> rows_;  // kept between loads, so that their memory is reused
  Index count_ = 0;
};

}  // namespace fovea::kernels
