// The bias of a part of the scores.
#include <utility>

#include "mask/bias_node.h"
#include "mask/score_part.h"

namespace fovea {
namespace {

class PartBias final : public BiasNode {
 public:
  PartBias(std::shared_ptr<const BiasNode> inner, const ScorePart& part)
      : inner_(std::move(inner)), part_(part) {}

  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    if (!is_relative()) {
      return inner_->add_values(whole_row(part_, row), key_begin + part_.key_begin,
                                key_end + part_.key_begin, out);
    }
    // The kernels ask for values by relative position with a row of their own making: only j − p counts.
    Row moved = row;
    moved.query -= shift();
    inner_->add_values(moved, key_begin, key_end, out);
  }
  bool is_relative() const override { return inner_->is_relative(); }
  void check(const ScoreExtents& extents) const override {
    check_part_extents("[bias]", part_, extents);
    inner_->check(whole_extents(part_, extents));
  }
  Index batch() const override { return inner_->batch(); }
  std::string name() const override { return "a part of " + inner_->name(); }

  Shape data_shape() const override { return inner_->data_shape(); }
  Index heads() const override { return inner_->heads(); }
  void add_position_gradient(Index last, Index count, const float* sums, double* column) const override {
    inner_->add_position_gradient(last + shift(), count, sums, column);
  }
  void add_tile_gradient(const Row& first, Index rows, Index key_begin, Index key_end, const float* tile,
                         Index stride, float* gradient) const override {
    inner_->add_tile_gradient(whole_row(part_, first), rows, key_begin + part_.key_begin,
                              key_end + part_.key_begin, tile, stride, gradient);
  }
  bool depends_on_key() const override { return inner_->depends_on_key(); }

 private:
  // j − p in the whole, less that in the part.
  Index shift() const {
    const Index whole = part_.keys - part_.queries;
    const Index here = (part_.key_end - part_.key_begin) - (part_.query_end - part_.query_begin);
    return part_.key_begin - part_.query_begin - whole + here;
  }

  std::shared_ptr<const BiasNode> inner_;
  ScorePart part_;
};

}  // namespace

Bias Bias::part(const ScorePart& part) const {
  check_part("[bias]", part);
  if (is_none()) return *this;
  return Bias(std::make_shared<PartBias>(node_, part));
}

}  // namespace fovea
