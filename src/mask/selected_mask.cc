// Parts of a mask: one batch entry with one head or all of them, and what any of the heads sees.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "mask/intervals.h"
#include "mask/mask_node.h"

namespace fovea {
namespace {

constexpr Index kEveryHead = -1;

class SelectedMask final : public MaskNode {
 public:
  // `head`: the one, or kEveryHead.
  SelectedMask(std::shared_ptr<const MaskNode> inner, Index batch, Index head)
      : inner_(std::move(inner)), batch_(batch), head_(head) {}

  void visible_keys(const Row& row, Intervals& visible) const override {
    inner_->visible_keys(of_inner(row), visible);
  }
  bool visible_interval(const Row& row, Interval& visible) const override {
    return inner_->visible_interval(of_inner(row), visible);
  }
  void visible_bits(const Row& row, KeyBits& bits) const override {
    inner_->visible_bits(of_inner(row), bits);
  }
  bool prefers_bits() const override { return inner_->prefers_bits(); }
  bool may_scatter() const override { return inner_->may_scatter(); }
  bool is_scattered(const Row& row) const override { return inner_->is_scattered(of_inner(row)); }
  bool is_additive() const override { return inner_->is_additive(); }
  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    inner_->add_values(of_inner(row), key_begin, key_end, out);
  }
  void check(const ScoreExtents& extents) const override {
    const Index entries = std::max<Index>(inner_->batch(), 1);
    const Index heads = head_ == kEveryHead ? extents.heads : std::max<Index>(inner_->heads(), 1);
    inner_->check({entries, entries, heads, extents.n, extents.m});
  }
  Index heads() const override { return head_ == kEveryHead ? inner_->heads() : 0; }
  Index keys() const override { return inner_->keys(); }
  bool depends_on_query() const override { return inner_->depends_on_query(); }
  std::string name() const override { return inner_->name(); }
  int depth() const override { return 1 + inner_->depth(); }

 private:
  Row of_inner(Row row) const {
    row.batch = batch_;
    if (head_ != kEveryHead) row.head = head_;
    return row;
  }

  std::shared_ptr<const MaskNode> inner_;
  Index batch_, head_;
};

// One mask for all heads together: the keys that at least one of them sees.
class UnitedHeads final : public MaskNode {
 public:
  UnitedHeads(std::shared_ptr<const MaskNode> inner, Index batch)
      : inner_(std::move(inner)), batch_(batch) {}

  void visible_keys(const Row& row, Intervals& visible) const override {
    Intervals of_head, united;
    visible.clear();
    for (Index head = 0; head < inner_->heads(); ++head) {
      inner_->visible_keys({batch_, head, row.query, row.n, row.m}, of_head);
      unite(visible, of_head, united);
      visible.swap(united);
    }
  }
  void check(const ScoreExtents& extents) const override {
    const Index entries = std::max<Index>(inner_->batch(), 1);
    inner_->check({entries, entries, inner_->heads(), extents.n, extents.m});
  }
  Index keys() const override { return inner_->keys(); }
  bool depends_on_query() const override { return inner_->depends_on_query(); }
  std::string name() const override { return inner_->name() + ", any head"; }
  int depth() const override { return 1 + inner_->depth(); }

 private:
  std::shared_ptr<const MaskNode> inner_;
  Index batch_;
};

bool outside(Index i, Index count) { return i < 0 || (count > 1 && i >= count); }

void check_entry(const Mask& mask, Index batch_entry) {
  if (!outside(batch_entry, mask.batch())) return;
  fail("[mask] no batch entry {}: the mask has {}", batch_entry, mask.batch());
}

}  // namespace

Mask Mask::select(Index batch_entry, Index head) const {
  if (is_none()) return *this;
  if (outside(batch_entry, batch()) || outside(head, heads())) {
    fail("[mask] no batch entry {} with head {}: the mask has {} and {}", batch_entry, head, batch(),
         heads());
  }
  return Mask(std::make_shared<SelectedMask>(node_, batch_entry, head));
}

Mask Mask::select(Index batch_entry) const {
  if (is_none()) return *this;
  check_entry(*this, batch_entry);
  if (batch() <= 1 && batch_entry == 0) return *this;
  return Mask(std::make_shared<SelectedMask>(node_, batch_entry, kEveryHead));
}

Mask Mask::of_any_head(Index batch_entry) const {
  if (is_none()) return *this;
  check_entry(*this, batch_entry);
  if (heads() <= 1) return Mask(std::make_shared<SelectedMask>(node_, batch_entry, 0));
  return Mask(std::make_shared<UnitedHeads>(node_, batch_entry));
}

}  // namespace fovea
