// The mask of a part of the scores: rows and keys are shifted to where they stand in the whole, and what
// the whole's mask says is cut to the part.
#include <algorithm>
#include <utility>

#include "mask/intervals.h"
#include "mask/mask_node.h"
#include "mask/score_part.h"

namespace fovea {
namespace {

class PartMask final : public MaskNode {
 public:
  PartMask(std::shared_ptr<const MaskNode> inner, const ScorePart& part)
      : inner_(std::move(inner)), part_(part) {}

  void visible_keys(const Row& row, Intervals& visible) const override {
    ScratchIntervals whole;
    inner_->visible_keys(whole_row(part_, row), *whole);
    visible.clear();
    for (const Interval& keys : *whole) append(visible, cut(keys));
  }
  bool visible_interval(const Row& row, Interval& visible) const override {
    if (!inner_->visible_interval(whole_row(part_, row), visible)) return false;
    visible = cut(visible);
    return true;
  }
  bool prefers_bits() const override { return inner_->prefers_bits(); }
  bool may_scatter() const override { return inner_->may_scatter(); }
  bool is_scattered(const Row& row) const override { return inner_->is_scattered(whole_row(part_, row)); }
  bool is_additive() const override { return inner_->is_additive(); }
  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    inner_->add_values(whole_row(part_, row), key_begin + part_.key_begin, key_end + part_.key_begin, out);
  }
  void check(const ScoreExtents& extents) const override {
    check_part_extents("[mask]", part_, extents);
    inner_->check(whole_extents(part_, extents));
  }
  Index batch() const override { return inner_->batch(); }
  Index heads() const override { return inner_->heads(); }
  Index keys() const override { return part_.key_end - part_.key_begin; }
  bool depends_on_query() const override { return inner_->depends_on_query(); }
  std::string name() const override { return "a part of " + inner_->name(); }
  int depth() const override { return 1 + inner_->depth(); }

 private:
  // Keys of the whole as keys of the part; empty is [x, x).
  Interval cut(const Interval& keys) const {
    const Index begin = std::clamp(keys.begin, part_.key_begin, part_.key_end);
    const Index end = std::clamp(keys.end, begin, part_.key_end);
    return {begin - part_.key_begin, end - part_.key_begin};
  }

  std::shared_ptr<const MaskNode> inner_;
  ScorePart part_;
};

}  // namespace

Mask Mask::part(const ScorePart& part) const {
  check_part("[mask]", part);
  if (is_none()) return *this;
  return Mask(std::make_shared<PartMask>(node_, part));
}

}  // namespace fovea
