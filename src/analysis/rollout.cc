#include "analysis/rollout.h"

#include "analysis/weights.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/attention_statistics.h"

namespace fovea {
namespace {

// weights [H, N, N] of one layer, any strides.
Matrix residual_weights_of_layer(ConstView weights) {
  const Index heads = weights.shape()[0], n = weights.shape()[1];
  Matrix result(n, n);
  parallel_for(n, [&](Index i) {
    double sum = 1;
    for (Index j = 0; j < n; ++j) {
      double weight = 0;
      for (Index h = 0; h < heads; ++h) weight += static_cast<double>(weights(h, i, j));
      if (heads > 0) weight /= static_cast<double>(heads);
      sum += weight;
      result(i, j) = weight + (i == j ? 1 : 0);
    }
    for (Index j = 0; j < n; ++j) result(i, j) /= sum;
  });
  return result;
}

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

std::vector<Matrix> residual_weights(const char* op, ConstView weights) {
  const Shape& shape = weights.shape();
  const bool with_batch = shape.rank() == 5 && shape[1] == 1;
  if ((shape.rank() != 4 && !with_batch) || shape.back() != shape.back(1)) {
    fail("[{}] weights are {}, expected [L, H, N, N] or [L, 1, H, N, N]: one sequence that looks at itself",
         op, shape.to_string());
  }
  check_weights(op, weights);
  std::vector<Matrix> layers;
  for (Index l = 0; l < shape[0]; ++l) {
    BasicView<const float> layer = weights.select(0, l);
    if (with_batch) layer = layer.select(0, 0);
    layers.push_back(residual_weights_of_layer(layer));
  }
  return layers;
}

std::vector<Matrix> residual_weights(const char* op, const std::vector<RolloutLayer>& layers) {
  const Index n = tokens_of_layers(op, layers);
  std::vector<Matrix> result;
  for (const RolloutLayer& layer : layers) {
    const Tensor weights = attention_crop(layer.q, layer.k, layer.options, {0, n, 0, n});
    check_weights(op, weights);
    const Index heads = n == 0 ? 0 : weights.shape().elements() / (n * n);
    result.push_back(residual_weights_of_layer(weights.reshaped({heads, n, n})));
  }
  return result;
}

Index tokens_of_layers(const char* op, const std::vector<RolloutLayer>& layers) {
  if (layers.empty()) fail("[{}] got no layers, expected at least one", op);
  const Index n = layers.front().q.shape().rank() < 2 ? 0 : layers.front().q.shape().back(1);
  for (const RolloutLayer& layer : layers) {
    const Shape &q = layer.q.shape(), &k = layer.k.shape();
    const bool fits = q.rank() == k.rank() && (q.rank() == 2 || (q.rank() == 4 && q[0] == 1));
    if (!fits || q.back(1) != n || k.back(1) != n) {
      fail("[{}] a layer has q {} and k {}, expected [1, H, N, D] or [N, D], N = {} in both", op,
           q.to_string(), k.to_string(), n);
    }
  }
  return n;
}

void check_position(const char* op, Index position, Index n) {
  if (position < 0 || position >= n)
    fail("[{}] position is {}, expected 0 ≤ position < {}", op, position, n);
}

Matrix attention_rollout(ConstView weights) {
  const std::vector<Matrix> layers = residual_weights("rollout", weights);
  Matrix result = Matrix::identity(weights.shape().back());
  for (const Matrix& layer : layers) result = product(layer, result);
  return result;
}

}  // namespace fovea
