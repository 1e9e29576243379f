#include <cmath>

#include "core/fail.h"
#include "fovea/attention_weights.h"

namespace fovea {

WeightsCheck check_weights(const AttentionWeights& weights) {
  constexpr double kTolerance = 1e-3;
  WeightsCheck check;
  const Index heads = weights.heads(), rows = weights.queries(), keys = weights.keys();
  const float* value = weights.values.data();
  const Index count = weights.layers() * weights.batch() * heads * rows;
  for (Index r = 0; r < count; ++r, value += keys) {
    const Index row = r % rows, head = r / rows % heads;
    const Index entry = r / rows / heads % weights.batch(), layer = r / rows / heads / weights.batch();
    double sum = 0;
    for (Index j = 0; j < keys; ++j) {
      if (!(value[j] >= 0) || std::isinf(value[j])) {
        fail(
            "{}: the weight of layer {}, batch entry {}, head {}, query {}, key {} is {}; weights are "
            "finite and not negative",
            weights.source, layer, entry, head, row, j, value[j]);
      }
      sum += static_cast<double>(value[j]);
    }
    if (sum == 0 || std::abs(sum - 1) <= kTolerance) continue;
    if (check.rows_not_one++ == 0 || std::abs(sum - 1) > std::abs(check.sum - 1)) {
      check.layer = layer, check.entry = entry, check.head = head, check.row = row, check.sum = sum;
    }
  }
  return check;
}

}  // namespace fovea
