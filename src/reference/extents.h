// The extents of a call of attention, whatever its rank.
#pragma once

#include <vector>

#include "reference/double_array.h"

namespace fovea::reference {

// heads_total = all leading axes of q multiplied.
struct CallExtents {
  Index heads_total, heads, key_heads, n, m, d, dv;

  CallExtents(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v)
      : heads_total(1),
        heads(1),
        key_heads(1),
        n(q.shape.back(1)),
        m(k.shape.back(1)),
        d(q.shape.back()),
        dv(v.shape.back()) {
    for (int axis = 0; axis < q.shape.rank() - 2; ++axis) heads_total *= q.shape[axis];
    if (q.shape.rank() >= 4) {
      heads = q.shape.back(2);
      key_heads = k.shape.back(2);
    }
  }
  // The key head of query head h, both counted over all batch entries.
  Index key_head(Index h) const { return h / heads * key_heads + h % heads / (heads / key_heads); }
};

// `shape` with another last extent.
inline Shape shape_with_last(const Shape& shape, Index last) {
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) extents.push_back(shape[axis]);
  extents.push_back(last);
  return Shape(extents);
}

}  // namespace fovea::reference
