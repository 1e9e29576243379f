// Which keys a row may see, asked of the mask row by row.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "mask/mask_node.h"

namespace fovea {
inline namespace internal {

class FOVEA_PRIVATE_API VisibleKeys {
 public:
  // Everything, if `mask` is null. The mask must outlive this object and fit the extents.
  VisibleKeys(const MaskNode* mask, const ScoreExtents& extents);

  void set_row(Index batch, Index head, Index row);

  Index count() const { return count_; }
  bool contain(Index key) const {
    return count_ == extents_.m ? key >= 0 && key < extents_.m : some_contain(key);
  }
  const Intervals& intervals() const { return keys_; }

  // The first key with a weight > 0 that must not be seen; −1 if there is none.
  Index hidden_with_weight(const std::vector<double>& row) const;

 private:
  bool some_contain(Index key) const;

  const MaskNode* mask_;
  ScoreExtents extents_;
  Intervals keys_;
  Index count_;
};

}  // namespace internal
}  // namespace fovea
