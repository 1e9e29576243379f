// Masks given pair by pair: flags, or values to add to the scores.
#include <limits>
#include <utility>

#include "mask/intervals.h"
#include "mask/score_shape.h"

namespace fovea {
namespace {

class DenseMask final : public MaskNode {
 public:
  explicit DenseMask(const Flags& visible) : shape_(kWho, visible.shape()), visible_(visible) {}

  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    const std::uint8_t* flag = visible_.data() + shape_.row_begin(row);
    for (Index key = 0; key < row.m; ++key, flag += shape_.key_step()) {
      if (*flag != 0) append(visible, {key, key + 1});
    }
  }
  void check(const ScoreExtents& extents) const override { shape_.check(kWho, extents); }
  Index batch() const override { return shape_.has_batch() ? shape_.batch() : 0; }
  Index heads() const override { return shape_.heads() == 1 ? 0 : shape_.heads(); }
  Index keys() const override { return shape_.keys() == 1 ? kAnyKeys : shape_.keys(); }
  bool depends_on_query() const override { return shape_.queries() != 1; }
  std::string name() const override { return "dense"; }

 private:
  static constexpr const char* kWho = "[mask] dense";
  ScoreShape shape_;
  Flags visible_;
};

class AdditiveMask final : public MaskNode {
 public:
  explicit AdditiveMask(ConstView values)
      : shape_(kWho, values.shape()), values_(Tensor::copy_of(values)) {}

  // Only −inf hides; NaN is a value like others, and makes its row NaN.
  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    const float* value = values_.data() + shape_.row_begin(row);
    for (Index key = 0; key < row.m; ++key, value += shape_.key_step()) {
      if (*value != -std::numeric_limits<float>::infinity()) append(visible, {key, key + 1});
    }
  }
  bool is_additive() const override { return true; }
  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    const Index step = shape_.key_step();
    const float* value = values_.data() + shape_.row_begin(row) + key_begin * step;
    for (Index key = key_begin; key < key_end; ++key, value += step) *out++ += *value;
  }
  void check(const ScoreExtents& extents) const override { shape_.check(kWho, extents); }
  Index batch() const override { return shape_.has_batch() ? shape_.batch() : 0; }
  Index heads() const override { return shape_.heads() == 1 ? 0 : shape_.heads(); }
  Index keys() const override { return shape_.keys() == 1 ? kAnyKeys : shape_.keys(); }
  bool depends_on_query() const override { return shape_.queries() != 1; }
  std::string name() const override { return "additive"; }

 private:
  static constexpr const char* kWho = "[mask] additive";
  ScoreShape shape_;
  Tensor values_;
};

}  // namespace

Mask Mask::dense(const Flags& visible) { return Mask(std::make_shared<DenseMask>(visible)); }

Mask Mask::additive(ConstView values) { return Mask(std::make_shared<AdditiveMask>(values)); }

}  // namespace fovea
