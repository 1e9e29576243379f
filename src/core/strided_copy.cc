#include "core/strided_copy.h"

#include <algorithm>

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
  if (from.shape().elements() > 0) copy_axis(from, 0, from.data(), out);
}

}  // namespace fovea
