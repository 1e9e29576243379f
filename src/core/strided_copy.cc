#include "core/strided_copy.h"

#include <algorithm>

#include "core/parallel.h"

namespace fovea {
namespace {

float* copy_axis(const ConstView& from, int axis, const float* data, float* out) {
  const Index extent = from.shape()[axis];
  const Index stride = from.stride(axis);
  if (axis == from.shape().rank() - 1) {
    if (stride == 1) return std::copy_n(data, extent, out);
    for (Index i = 0; i < extent; ++i) *out++ = data[i * stride];
    return out;
  }
  for (Index i = 0; i < extent; ++i) out = copy_axis(from, axis + 1, data + i * stride, out);
  return out;
}

}  // namespace

void strided_copy(ConstView from, float* out) {
  const Shape& shape = from.shape();
  const Index elements = shape.elements();
  if (elements == 0) return;
  constexpr Index kPiece = 32768;  // elements that are worth a thread's while
  if (shape.rank() < 3 || elements < 2 * kPiece) {
    copy_axis(from, 0, from.data(), out);
    return;
  }
  const Index rows = shape[0] * shape[1], inner = elements / rows;
  const Index group = std::max<Index>(1, kPiece / inner);
  parallel_for((rows + group - 1) / group, [&](Index g) {
    for (Index row = g * group; row < std::min(rows, (g + 1) * group); ++row) {
      const float* data = from.data() + row / shape[1] * from.stride(0) + row % shape[1] * from.stride(1);
      copy_axis(from, 2, data, out + row * inner);
    }
  });
}

}  // namespace fovea
