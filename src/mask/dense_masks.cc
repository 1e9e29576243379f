// Masks given pair by pair: flags, or values to add to the scores.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "mask/intervals.h"
#include "mask/score_shape.h"

namespace fovea {
namespace {

// One bit per pair of a [.., N, M] shape: what visible_bits answers with, packed once.
class PackedRows {
 public:
  // is_visible(k) for k in [0, elements), row-major.
  template <typename IsVisible>
  PackedRows(const ScoreShape& shape, const IsVisible& is_visible)
      : keys_(shape.keys()), words_((keys_ + 63) / 64) {
    const Index rows = shape.batch() * shape.heads() * shape.queries();
    bits_.resize(static_cast<std::size_t>(rows * words_), 0);
    parallel_for((rows + 63) / 64, [&](Index task) {
      for (Index row = task * 64; row < std::min(rows, task * 64 + 64); ++row) pack(row, is_visible);
    });
  }

  // The row that begins at element `begin`. A single key serves all of them.
  void copy(Index begin, const Row& row, KeyBits& bits) const {
    const std::uint64_t* from = bits_.data() + (keys_ == 0 ? 0 : begin / keys_ * words_);
    if (keys_ == row.m) {
      std::copy_n(from, words_, bits.begin());
    } else {
      std::fill(bits.begin(), bits.end(), 0);
      if ((*from & 1) != 0) set_bits(bits, 0, row.m);
    }
  }

  void append_keys(Index begin, const Row& row, Intervals& visible) const {
    visible.clear();
    KeyBits bits(static_cast<std::size_t>((row.m + 63) / 64));
    copy(begin, row, bits);
    append_bits(bits, row.m, visible);
  }

 private:
  template <typename IsVisible>
  void pack(Index row, const IsVisible& is_visible) {
    std::uint64_t* to = bits_.data() + row * words_;
    for (Index key = 0; key < keys_; ++key) {
      to[key / 64] |= std::uint64_t{is_visible(row * keys_ + key)} << (key % 64);
    }
  }

  Index keys_, words_;
  std::vector<std::uint64_t> bits_;
};

// What both share: a shape that broadcasts, and packed rows.
class PairMask : public MaskNode {
 public:
  template <typename IsVisible>
  PairMask(const char* who, const Shape& shape, const IsVisible& is_visible)
      : who_(who), shape_(who, shape), rows_(shape_, is_visible) {}

  void visible_keys(const Row& row, Intervals& visible) const override {
    rows_.append_keys(shape_.row_begin(row), row, visible);
  }
  void visible_bits(const Row& row, KeyBits& bits) const override {
    rows_.copy(shape_.row_begin(row), row, bits);
  }
  bool prefers_bits() const override { return true; }
  void check(const ScoreExtents& extents) const override { shape_.check(who_, extents); }
  Index batch() const override { return shape_.has_batch() ? shape_.batch() : 0; }
  Index heads() const override { return shape_.heads() == 1 ? 0 : shape_.heads(); }
  Index keys() const override { return shape_.keys() == 1 ? kAnyKeys : shape_.keys(); }
  bool depends_on_query() const override { return shape_.queries() != 1; }

 protected:
  const char* who_;
  ScoreShape shape_;

 private:
  PackedRows rows_;
};

class DenseMask final : public PairMask {
 public:
  explicit DenseMask(const Flags& visible)
      : PairMask("[mask] dense", visible.shape(), [&](Index k) { return visible.data()[k] != 0; }) {}
  std::string name() const override { return "dense"; }
};

class AdditiveMask final : public PairMask {
 public:
  explicit AdditiveMask(Tensor values)
      // Only −inf hides; NaN is a value like others, and makes its row NaN.
      : PairMask("[mask] additive", values.shape(),
                 [&](Index k) { return values.data()[k] != -std::numeric_limits<float>::infinity(); }),
        values_(std::move(values)) {}

  bool is_additive() const override { return true; }
  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    const Index step = shape_.key_step();
    const float* value = values_.data() + shape_.row_begin(row) + key_begin * step;
    for (Index key = key_begin; key < key_end; ++key, value += step) *out++ += *value;
  }
  std::string name() const override { return "additive"; }

 private:
  Tensor values_;
};

}  // namespace

Mask Mask::dense(const Flags& visible) { return Mask(std::make_shared<DenseMask>(visible)); }

Mask Mask::additive(ConstView values) {
  return Mask(std::make_shared<AdditiveMask>(Tensor::copy_of(values)));
}

}  // namespace fovea
