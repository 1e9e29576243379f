// Parts of a bias: one batch entry with one head or all of them.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "mask/bias_node.h"

namespace fovea {
namespace {

constexpr Index kEveryHead = -1;

class SelectedBias final : public BiasNode {
 public:
  // `head`: the one, or kEveryHead.
  SelectedBias(std::shared_ptr<const BiasNode> inner, Index batch, Index head)
      : inner_(std::move(inner)), batch_(batch), head_(head) {}

  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    inner_->add_values(of_inner(row), key_begin, key_end, out);
  }
  bool is_relative() const override { return inner_->is_relative(); }
  void check(const ScoreExtents& extents) const override {
    const Index entries = std::max<Index>(inner_->batch(), 1);
    const Index heads = head_ == kEveryHead ? extents.heads : inner_->heads();
    inner_->check({entries, entries, heads, extents.n, extents.m});
  }
  std::string name() const override { return inner_->name(); }

  // A relative bias: one column, [rows, 1] or [1]. A dense one: all its values; those of others get 0.
  Shape data_shape() const override {
    const Shape all = inner_->data_shape();
    if (!is_relative() || head_ == kEveryHead) return all;
    return all.rank() == 2 ? Shape{all[0], 1} : Shape{1};
  }
  Index heads() const override { return head_ == kEveryHead ? inner_->heads() : 1; }
  void add_position_gradient(Index last, Index count, const float* sums, double* column) const override {
    inner_->add_position_gradient(last, count, sums, column);
  }
  void add_tile_gradient(const Row& first, Index rows, Index key_begin, Index key_end, const float* tile,
                         Index stride, float* gradient) const override {
    inner_->add_tile_gradient(of_inner(first), rows, key_begin, key_end, tile, stride, gradient);
  }
  bool depends_on_key() const override { return inner_->depends_on_key(); }

 private:
  Row of_inner(Row row) const {
    row.batch = batch_;
    if (head_ != kEveryHead) row.head = head_;
    return row;
  }

  std::shared_ptr<const BiasNode> inner_;
  Index batch_, head_;
};

}  // namespace

Bias Bias::select(Index batch_entry, Index head) const {
  if (is_none()) return *this;
  const auto outside = [](Index i, Index count) { return i < 0 || (count > 1 && i >= count); };
  if (outside(batch_entry, node_->batch()) || outside(head, node_->heads())) {
    fail("[bias] no batch entry {} with head {}: the bias has {} and {}", batch_entry, head,
         std::max<Index>(node_->batch(), 1), node_->heads());
  }
  return Bias(std::make_shared<SelectedBias>(node_, batch_entry, head));
}

Bias Bias::select(Index batch_entry) const {
  if (is_none() || (node_->batch() <= 1 && batch_entry == 0)) return *this;
  if (batch_entry < 0 || (node_->batch() > 1 && batch_entry >= node_->batch())) {
    fail("[bias] no batch entry {}: the bias has {}", batch_entry, std::max<Index>(node_->batch(), 1));
  }
  return Bias(std::make_shared<SelectedBias>(node_, batch_entry, kEveryHead));
}

}  // namespace fovea
