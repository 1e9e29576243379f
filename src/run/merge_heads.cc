#include "run/merge_heads.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace fovea {

void merge_row(ConstView heads, HeadMerge how, Index row, std::vector<double>& out) {
  const Index count = heads.shape()[0], keys = heads.shape()[2], stride = heads.stride(2);
  out.assign(static_cast<std::size_t>(keys), 0.0);
  if (keys == 0) return;
  for (Index h = 0; h < count; ++h) {
    const float* weight = &heads(h, row, 0);
    for (Index j = 0; j < keys; ++j) {
      double& merged = out[static_cast<std::size_t>(j)];
      const auto value = static_cast<double>(weight[j * stride]);
      if (how != HeadMerge::max) {
        merged += value;
      } else if (value > merged || std::isnan(value)) {  // NaN stays: it is not less than anything
        merged = value;
      }
    }
  }
  if (how == HeadMerge::max) return;
  for (double& merged : out) merged /= static_cast<double>(std::max<Index>(count, 1));
}

Tensor merge_heads(ConstView heads, HeadMerge how) {
  const Index rows = heads.shape()[1], keys = heads.shape()[2];
  Tensor merged = Tensor::uninitialized({rows, keys});
  parallel_for(rows, [&](Index row) {
    std::vector<double> values;
    merge_row(heads, how, row, values);
    float* out = merged.data() + row * keys;
    for (const double value : values) *out++ = static_cast<float>(value);
  });
  return merged;
}

}  // namespace fovea
