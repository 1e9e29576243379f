#include "analysis/rollout.h"

#include "analysis/run_part.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "run/merge_heads.h"
#include "run/weights.h"

namespace fovea {
namespace {

Matrix product(const Matrix& a, const Matrix& b) {
  const Index n = a.rows();
  Matrix result(n, b.columns());
  parallel_for(n, [&](Index i) {
    for (Index k = 0; k < n; ++k) {
      const double factor = a(i, k);
      if (factor == 0) continue;
      for (Index j = 0; j < b.columns(); ++j) result(i, j) += factor * b(k, j);
    }
  });
  return result;
}

}  // namespace

std::vector<LayerView> self_attention_layers(const char* op, const Run& run) {
  const RunPart part = only_part(op, run);
  std::vector<LayerView> layers;
  for (Index l = 0; l < part.layers; ++l) {
    layers.push_back(run.layer(part.kind, l));
    const Index n = layers.back().queries(), m = layers.back().keys();
    if (n != m || n != layers.front().queries()) {
      fail(
          "[{}] layer {} has {} queries and {} keys, expected {} of both: one sequence that looks at "
          "itself",
          op, l, n, m, layers.front().queries());
    }
  }
  return layers;
}

Matrix residual_weights(const char* op, const LayerView& layer) {
  const Index n = layer.queries();
  const Tensor all = layer.crop({0, n, 0, n});
  check_weights(op, all);
  const ConstView heads = all.view().select(0, 0);
  Matrix result(n, n);
  parallel_for(n, [&](Index i) {
    std::vector<double> row;
    merge_row(heads, HeadMerge::mean, i, row);
    row[static_cast<std::size_t>(i)] += 1;
    double sum = 0;
    for (const double weight : row) sum += weight;
    for (Index j = 0; j < n; ++j) result(i, j) = row[static_cast<std::size_t>(j)] / sum;
  });
  return result;
}

void check_position(const char* op, Index position, Index n) {
  if (position < 0 || position >= n)
    fail("[{}] position is {}, expected 0 ≤ position < {}", op, position, n);
}

Matrix attention_rollout(const Run& run, const RolloutOptions& options) {
  const std::vector<LayerView> layers = self_attention_layers("rollout", run);
  const Index n = layers.front().queries();
  // From queries and keys, products with the identity are faster than weights and products of theirs.
  if (!layers.front().stored()) {
    return Matrix::from(rollout_product(run, Matrix::identity(n).to_tensor(), options));
  }
  Matrix result = Matrix::identity(n);
  for (const LayerView& layer : layers) {
    check_stop(options.stop, "rollout");
    result = product(residual_weights("rollout", layer), result);
    const double done = static_cast<double>(layer.layer + 1);
    if (options.progress) options.progress(done / static_cast<double>(layers.size()));
  }
  return result;
}

}  // namespace fovea
