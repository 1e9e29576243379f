// Rollout without its matrices: each layer is applied to a few vectors.
#include <algorithm>

#include "analysis/rollout.h"
#include "core/fail.h"
#include "fovea/attention_statistics.h"

namespace fovea {
namespace {

struct Layer {
  const RolloutLayer& layer;
  Index n, heads;

  // u [N, C] for every head, by strides of 0: [1, count, N, C], or [N, C] for rank 2.
  ConstView repeated(ConstView u, Index count) const {
    if (layer.q.shape().rank() == 2) return u;
    return ConstView(u.data(), {1, count, n, u.shape()[1]}, {0, 0, u.stride(0), u.stride(1)});
  }

  // Mean over the heads of [1, H, N, C] or [N, C], in double.
  std::vector<double> head_mean(const Tensor& values) const {
    const auto size = static_cast<std::size_t>(heads == 0 ? 0 : values.shape().elements() / heads);
    std::vector<double> mean(size);
    for (std::size_t at = 0; at < size; ++at) {
      double sum = 0;
      for (Index h = 0; h < heads; ++h)
        sum += static_cast<double>(values.data()[static_cast<std::size_t>(h) * size + at]);
      mean[at] = sum / static_cast<double>(heads);
    }
    return mean;
  }

  std::vector<double> mean_product(const Tensor& u) const {  // Ā u, [N, C]
    const Index key_heads = layer.k.shape().rank() == 2 ? 1 : layer.k.shape()[1];
    return head_mean(attention_product(layer.q, layer.k, repeated(u, key_heads), layer.options));
  }

  // Row sums of Ā + I: 2, but where a head sees nothing.
  std::vector<double> row_sums() const {
    const Tensor ones = Tensor::filled({n, 1}, 1);
    std::vector<double> sums = mean_product(ones);
    for (double& sum : sums) sum += 1;
    return sums;
  }

  Tensor apply(const Tensor& u) const {  // Â u
    const Index columns = u.shape()[1];
    const std::vector<double> sums = row_sums();
    const std::vector<double> mean = mean_product(u);
    Tensor result = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n * columns; ++at) {
      const double value = mean[static_cast<std::size_t>(at)] + static_cast<double>(u.data()[at]);
      result.data()[at] = static_cast<float>(value / sums[static_cast<std::size_t>(at / columns)]);
    }
    return result;
  }

  Tensor apply_transposed(const Tensor& u) const {  // Âᵀ u = (Āᵀ + I) D⁻¹ u
    const Index columns = u.shape()[1];
    const std::vector<double> sums = row_sums();
    Tensor divided = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n * columns; ++at) {
      divided.data()[at] = static_cast<float>(static_cast<double>(u.data()[at]) /
                                              sums[static_cast<std::size_t>(at / columns)]);
    }
    const std::vector<double> mean =
        head_mean(attention_transposed_product(layer.q, layer.k, repeated(divided, heads), layer.options));
    Tensor result = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n * columns; ++at) {
      result.data()[at] =
          static_cast<float>(mean[static_cast<std::size_t>(at)] + static_cast<double>(divided.data()[at]));
    }
    return result;
  }
};

Layer layer_of(const RolloutLayer& layer, Index n) {
  return {layer, n, layer.q.shape().rank() == 2 ? 1 : layer.q.shape()[1]};
}

Tensor checked_u(const char* op, ConstView u, Index n) {
  if (u.shape().rank() != 2 || u.shape()[0] != n)
    fail("[{}] u is {}, expected [{}, C]", op, u.shape().to_string(), n);
  return Tensor::copy_of(u);
}

}  // namespace

Tensor rollout_product(const std::vector<RolloutLayer>& layers, ConstView u) {
  const Index n = tokens_of_layers("rollout", layers);
  Tensor result = checked_u("rollout", u, n);
  for (const RolloutLayer& layer : layers) result = layer_of(layer, n).apply(result);
  return result;
}

Tensor rollout_transposed_product(const std::vector<RolloutLayer>& layers, ConstView u) {
  const Index n = tokens_of_layers("rollout", layers);
  Tensor result = checked_u("rollout", u, n);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    result = layer_of(*layer, n).apply_transposed(result);
  }
  return result;
}

std::vector<double> rollout_row(const std::vector<RolloutLayer>& layers, Index position) {
  const Index n = tokens_of_layers("rollout", layers);
  check_position("rollout", position, n);
  Tensor one({n, 1});
  one(position, 0) = 1;
  const Tensor row = rollout_transposed_product(layers, one);
  return {row.data(), row.data() + n};
}

}  // namespace fovea
