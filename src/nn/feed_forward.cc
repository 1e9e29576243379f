#include "nn/feed_forward.h"

#include <algorithm>

namespace fovea {

void FeedForward::add(ConstView x, Tensor& inner, View out) const {
  // So many rows at a time that what lies between the two products stays in cache.
  constexpr Index kRows = 512;
  const Index width = x.shape().back(), rows = width == 0 ? 0 : x.shape().elements() / width;
  for (Index row = 0; row < rows; row += kRows) {
    const Shape shape = {std::min(kRows, rows - row), width};
    const ConstView part(x.data() + row * width, shape);
    if (gate.empty()) {
      up.store(part, inner, activation);
    } else {
      gate.store(part, inner, activation);
      up.multiply(part, inner.view());
    }
    down.add(inner, View(out.data() + row * width, shape));
  }
}

}  // namespace fovea
