// What masks and biases of given values share: shapes that broadcast over the scores [B, H, N, M], and the
// checks of a call's extents. `who` opens the message: "[mask] padding".
#pragma once

#include <string_view>

#include "mask/mask_node.h"

namespace fovea {

// Throw Error unless the extent is the call's. A batch of 0 (does not care) or 1 (broadcasts) fits every
// call.
void check_batch(std::string_view who, Index batch, const ScoreExtents& extents);
void check_heads(std::string_view who, Index heads, const ScoreExtents& extents);
void check_queries(std::string_view who, Index queries, const ScoreExtents& extents);
void check_keys(std::string_view who, Index keys, const ScoreExtents& extents);

// [N, M], [B, N, M] or [B, H, N, M], stored row-major; extents of 1 broadcast.
class ScoreShape {
 public:
  ScoreShape(std::string_view who, const Shape& shape);  // throws Error for other ranks, and B or H of 0

  void check(std::string_view who, const ScoreExtents& extents) const;

  // Where the row's values begin; key j is at row_begin(row) + j · key_step().
  Index row_begin(const Row& row) const {
    const Index batch = row.batch % batch_;
    const Index head = heads_ == 1 ? 0 : row.head;
    const Index query = queries_ == 1 ? 0 : row.query;
    return ((batch * heads_ + head) * queries_ + query) * keys_;
  }
  Index key_step() const { return keys_ == 1 ? 0 : 1; }

  bool has_batch() const { return has_batch_; }  // an axis for it, perhaps of extent 1
  Index batch() const { return batch_; }
  Index heads() const { return heads_; }
  Index queries() const { return queries_; }
  Index keys() const { return keys_; }

 private:
  bool has_batch_ = false;
  Index batch_ = 1, heads_ = 1, queries_ = 0, keys_ = 0;
};

}  // namespace fovea
