#include "ops/joined.h"

#include <algorithm>

#include "core/fail.h"
#include "core/parallel.h"

namespace fovea {
inline namespace internal {

Tensor added(const char* who, const std::vector<const Tensor*>& parts) {
  const Shape& shape = parts.front()->shape();
  for (const Tensor* part : parts) {
    if (!(part->shape() == shape)) {
      fail("{} has shape {} in a part, {} in the first one", who, part->shape().to_string(),
           shape.to_string());
    }
  }
  if (shape.rank() == 0) return {};
  Tensor sum = Tensor::uninitialized(shape);
  constexpr Index kPiece = 1 << 16;
  const Index count = shape.elements();
  parallel_for((count + kPiece - 1) / kPiece, [&](Index piece) {
    for (Index i = piece * kPiece; i < std::min(count, (piece + 1) * kPiece); ++i) {
      double value = 0;
      for (const Tensor* part : parts) value += static_cast<double>(part->data()[i]);
      sum.data()[i] = static_cast<float>(value);
    }
  });
  return sum;
}

Tensor joined(const char* who, const std::vector<const Tensor*>& parts, int axis_from_end) {
  const Shape& first = parts.front()->shape();
  const int axis = first.rank() - 1 - axis_from_end;
  std::vector<Index> extents;
  for (int a = 0; a < first.rank(); ++a) extents.push_back(a == axis ? 0 : first[a]);
  for (const Tensor* part : parts) {
    bool fits = part->shape().rank() == first.rank() && axis >= 0;
    for (int a = 0; fits && a < first.rank(); ++a) fits = a == axis || part->shape()[a] == first[a];
    if (!fits) {
      fail("{} has shape {} in a part, {} in the first one", who, part->shape().to_string(),
           first.to_string());
    }
    extents[static_cast<std::size_t>(axis)] += part->shape()[axis];
  }
  Index outer = 1, inner = 1;
  for (int a = 0; a < axis; ++a) outer *= first[a];
  for (int a = axis + 1; a < first.rank(); ++a) inner *= first[a];
  Tensor all = Tensor::uninitialized(Shape(extents));
  float* out = all.data();
  for (Index o = 0; o < outer; ++o) {
    for (const Tensor* part : parts) {
      const Index size = part->shape()[axis] * inner;
      out = std::copy_n(part->data() + o * size, size, out);
    }
  }
  return all;
}

}  // namespace internal
}  // namespace fovea
