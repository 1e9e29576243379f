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
  // Keys that every row sees, as far as that is known without search: hidden pairs lie outside.
  Interval common = {};
};

// Rows of one interval each, which most masks give, are kept as intervals, others as bits.
class RowVisibility {
 public:
  // Asks the mask (null: everything visible) for rows first.query .. + rows.
  void load(const MaskNode* mask, const Row& first, Index rows);
  // The same for any rows; `where` tells batch and head. `gather`: keys() will be asked for.
  void load(const MaskNode* mask, const Row& where, const Index* rows, Index count, bool gather);

  // No row sees a key outside of these, of m keys.
  Interval hull(Index m) const { return form_ == Form::everything ? Interval{0, m} : hull_; }

  // Summary of keys [begin, end) over all rows, cut to what is visible at all.
  VisibleSpan span(Index begin, Index end) const;

  // One interval of keys per row, or null where that does not say all.
  const Interval* intervals() const { return form_ == Form::intervals ? intervals_.data() : nullptr; }

  // Writes `value` at [(j − begin) · width + row] for every row and hidden key j of [begin, end).
  void fill_hidden(Index begin, Index end, Index width, float value, float* tile) const;

  // All keys that some row sees, ascending, to be gathered.
  const std::vector<Index>& keys() const { return keys_; }
  // Do all rows see all of these keys? And as fill_hidden, at [g · width + row] for key keys[g].
  bool all_see(const Index* keys, Index count) const;
  void fill_hidden(const Index* keys, Index count, Index width, float value, float* tile) const;

 private:
  enum class Form { everything, intervals, bits };

  bool load_intervals(const MaskNode& mask, Row row, const Index* rows);
  void load_bits(const MaskNode& mask, Row row, const Index* rows);

  Form form_ = Form::everything;
  Index count_ = 0, words_ = 0;
  // Outside of hull_ no row sees anything, inside of core_ every row sees everything.
  Interval hull_, core_;
  // Kept between loads, so that their memory is reused:
  std::vector<Interval> intervals_;  // one per row, perhaps empty
  std::vector<std::uint64_t> bits_;  // [rows, words]
  KeyBits any_, common_, row_bits_;  // keys that some, and that all rows see
  std::vector<Index> keys_;
};

}  // namespace fovea::kernels
