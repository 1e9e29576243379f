// Sizes of tensors: a list of at most five extents.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "fovea/api.h"

namespace fovea {

using Index = std::int64_t;

inline constexpr int kMaxRank = 5;

// Extents of a tensor, outermost first. Extents are ≥ 0; a zero extent makes the tensor empty of
// elements, which is allowed everywhere. Rank 0 belongs to the empty Tensor().
class FOVEA_API Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Index> extents);  // throws Error: rank > 5, negative, overflow
  explicit Shape(const std::vector<Index>& extents);

  int rank() const { return rank_; }
  Index operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  // The extent counted from the end: back(0) is the last one.
  Index back(int i = 0) const { return (*this)[rank_ - 1 - i]; }
  Index elements() const;  // product of the extents; 0 for rank 0

  std::string to_string() const;  // "[2, 3, 4]"

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && a.extents_ == b.extents_;
  }

 private:
  void set(const Index* extents, std::size_t count);

  int rank_ = 0;
  std::array<Index, kMaxRank> extents_ = {};
};

// Distance, in elements, between neighbours along each axis. May be zero or negative.
using Strides = std::array<Index, kMaxRank>;

inline Strides row_major_strides(const Shape& shape) {
  Strides strides = {};
  Index stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

}  // namespace fovea
