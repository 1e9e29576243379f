#include "mask/visible_keys.h"

#include <algorithm>

#include "mask/intervals.h"

namespace fovea {
inline namespace internal {

VisibleKeys::VisibleKeys(const MaskNode* mask, const ScoreExtents& extents)
    : mask_(mask), extents_(extents), count_(extents.m) {
  append(keys_, {0, extents.m});
}

void VisibleKeys::set_row(Index batch, Index head, Index row) {
  if (mask_ == nullptr) return;
  mask_->visible_keys({batch, head, row, extents_.n, extents_.m}, keys_);
  count_ = count_keys(keys_);
}

bool VisibleKeys::some_contain(Index key) const {
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), key,
                                      [](Index at, const Interval& keys) { return at < keys.begin; });
  return after != keys_.begin() && key < std::prev(after)->end;
}

Index VisibleKeys::hidden_with_weight(const std::vector<double>& row) const {
  Index key = 0;
  const auto find_before = [&](Index end) {
    while (key < end && !(row[static_cast<std::size_t>(key)] > 0)) ++key;
    return key < end;
  };
  for (const Interval& visible : keys_) {
    if (find_before(visible.begin)) return key;
    key = visible.end;
  }
  return find_before(extents_.m) ? key : -1;
}

}  // namespace internal
}  // namespace fovea
