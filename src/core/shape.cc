#include "fovea/shape.h"

#include "core/fail.h"

namespace fovea {

Shape::Shape(std::initializer_list<Index> extents) { set(extents.begin(), extents.size()); }

Shape::Shape(const std::vector<Index>& extents) { set(extents.data(), extents.size()); }

void Shape::set(const Index* extents, std::size_t count) {
  if (count > kMaxRank) fail("[shape] rank {} exceeds the maximum of {}", count, kMaxRank);
  // Bytes must fit into Index too. Zero extents do not excuse the others: [0, 2^62, 4] is an error.
  Index product = 4;
  for (std::size_t axis = 0; axis < count; ++axis) {
    const Index extent = extents[axis];
    if (extent < 0) fail("[shape] extent {} of axis {} is negative", extent, axis);
    if (extent > 1 && __builtin_mul_overflow(product, extent, &product)) {
      fail("[shape] extents overflow at axis {} with extent {}", axis, extent);
    }
    extents_[axis] = extent;
  }
  rank_ = static_cast<int>(count);
}

Index Shape::elements() const {
  if (rank_ == 0) return 0;
  Index product = 1;
  for (int axis = 0; axis < rank_; ++axis) product *= (*this)[axis];
  return product;
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string((*this)[axis]);
  }
  return text + "]";
}

}  // namespace fovea
