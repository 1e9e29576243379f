// The mask of one batch entry and head of another mask, for calls on that head alone.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "mask/mask_node.h"

namespace fovea {
namespace {

class SelectedMask final : public MaskNode {
 public:
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
    const Index entries = std::max<Index>(inner_->batch(), 1), heads = std::max<Index>(inner_->heads(), 1);
    inner_->check({entries, entries, heads, extents.n, extents.m});
  }
  Index keys() const override { return inner_->keys(); }
  bool depends_on_query() const override { return inner_->depends_on_query(); }
  std::string name() const override { return inner_->name(); }
  int depth() const override { return 1 + inner_->depth(); }

 private:
  Row of_inner(Row row) const {
    row.batch = batch_;
    row.head = head_;
    return row;
  }

  std::shared_ptr<const MaskNode> inner_;
  Index batch_, head_;
};

}  // namespace

Mask Mask::select(Index batch_entry, Index head) const {
  if (is_none()) return *this;
  const auto outside = [](Index i, Index count) { return i < 0 || (count > 1 && i >= count); };
  if (outside(batch_entry, batch()) || outside(head, heads())) {
    fail("[mask] batch entry {} and head {} were asked for, the mask is for {} and {}", batch_entry, head,
         batch(), heads());
  }
  return Mask(std::make_shared<SelectedMask>(node_, batch_entry, head));
}

}  // namespace fovea
