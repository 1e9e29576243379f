#include "run/relative_table.h"

#include <vector>

#include "mask/bias_node.h"

namespace fovea {
inline namespace internal {

Tensor relative_table(const Bias& bias, Index heads, Index tokens) {
  if (bias.is_none() || !bias.node()->is_relative() || tokens < 1) return {};
  Tensor table({2 * tokens - 1, heads});
  std::vector<float> values(static_cast<std::size_t>(tokens));
  for (Index h = 0; h < heads; ++h) {
    // The first query sees relative positions 0 .. tokens−1, the last one −(tokens−1) .. 0.
    for (const Index query : {Index{0}, tokens - 1}) {
      values.assign(values.size(), 0.0f);
      bias.node()->add_values({0, h, query, tokens, tokens}, 0, tokens, values.data());
      for (Index key = 0; key < tokens; ++key) {
        table(key - query + tokens - 1, h) = values[static_cast<std::size_t>(key)];
      }
    }
  }
  return table;
}

}  // namespace internal
}  // namespace fovea
