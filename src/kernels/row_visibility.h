// What a strip of queries may see.
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

// Rows of few intervals answer with spans of neighbouring keys; rows of many separate keys (sparse masks)
// with the list of all keys that some row sees, to be gathered.
class RowVisibility {
 public:
  // Asks the mask (null: everything visible) for rows first.query .. + rows.
  void load(const MaskNode* mask, const Row& first, Index rows);
  // The same for any rows; `where` tells batch and head.
  void load(const MaskNode* mask, const Row& where, const Index* rows, Index count);
  // Rows of many separate keys. After this call keys() and hide_gathered() hold, span() does not.
  void load_scattered(const MaskNode* mask, const Row& where, const Index* rows, Index count);

  // Summary of keys [begin, end) over all rows, cut to what is visible at all.
  VisibleSpan span(Index begin, Index end) const;

  // Writes `value` at [(j − begin) · width + row] for every row and hidden key j of [begin, end).
  void fill_hidden(Index begin, Index end, Index width, float value, float* tile) const;

  const std::vector<Index>& keys() const { return keys_; }
  // Do all rows see all of these keys? And as fill_hidden, at [g · width + row] for key keys[g].
  bool all_see(const Index* keys, Index count) const;
  void fill_hidden(const Index* keys, Index count, Index width, float value, float* tile) const;

 private:
  void summarise();

  bool everything_ = true;
  Index count_ = 0;
  std::vector<Intervals> rows_;  // kept between loads, so that their memory is reused
  // Of rows with one interval at most, which most masks give: outside of hull_ no row sees anything,
  // inside of core_ every row sees everything.
  bool simple_ = false;
  Interval hull_, core_;

  std::vector<KeyBits> bits_;  // of each row
  KeyBits common_;             // keys that all rows see
  std::vector<Index> keys_;    // keys that some row sees, ascending
};

}  // namespace fovea::kernels
