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

// [B, H, N, D] of which the heads of a token lie side by side, as projections leave them: some tokens at a
// time for all heads, so that memory is read in order.
void copy_heads(ConstView from, float* out) {
  constexpr Index kTokens = 32;
  const Shape& shape = from.shape();
  const Index heads = shape[1], tokens = shape[2], width = shape[3];
  const Index pieces = (tokens + kTokens - 1) / kTokens;
  parallel_for(shape[0] * pieces, [&](Index g) {
    const Index batch = g / pieces, first = g % pieces * kTokens, end = std::min(tokens, first + kTokens);
    for (Index h = 0; h < heads; ++h) {
      const float* data = from.data() + batch * from.stride(0) + h * from.stride(1);
      float* to = out + (batch * heads + h) * tokens * width;
      for (Index n = first; n < end; ++n) std::copy_n(data + n * from.stride(2), width, to + n * width);
    }
  });
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
  if (shape.rank() == 4 && from.stride(3) == 1 && from.stride(1) > 0 && from.stride(1) < from.stride(2)) {
    return copy_heads(from, out);
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
