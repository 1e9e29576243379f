// Rollout without its matrices: each layer is applied to a few vectors.
#include <algorithm>

#include "analysis/rollout.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "run/merge_heads.h"

namespace fovea {
namespace {

// Â of one layer, applied to u [N, C].
class ResidualLayer {
 public:
  explicit ResidualLayer(const LayerView& layer) : layer_(layer), n_(layer.queries()) {}

  Tensor apply(const Tensor& u) const {  // Â u
    const Index columns = u.shape()[1];
    const std::vector<double> sums = row_sums(), mean = mean_product(u);
    Tensor result = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n_ * columns; ++at) {
      const double value = mean[static_cast<std::size_t>(at)] + static_cast<double>(u.data()[at]);
      result.data()[at] = static_cast<float>(value / sums[static_cast<std::size_t>(at / columns)]);
    }
    return result;
  }

  Tensor apply_transposed(const Tensor& u) const {  // Âᵀ u = (Āᵀ + I) D⁻¹ u
    const Index columns = u.shape()[1];
    const std::vector<double> sums = row_sums();
    Tensor divided = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n_ * columns; ++at) {
      divided.data()[at] = static_cast<float>(static_cast<double>(u.data()[at]) /
                                              sums[static_cast<std::size_t>(at / columns)]);
    }
    const std::vector<double> mean = mean_transposed_product(divided);
    Tensor result = Tensor::uninitialized(u.shape());
    for (Index at = 0; at < n_ * columns; ++at) {
      result.data()[at] =
          static_cast<float>(mean[static_cast<std::size_t>(at)] + static_cast<double>(divided.data()[at]));
    }
    return result;
  }

 private:
  // u for every head, by strides of 0: [1, heads, N, C].
  ConstView repeated(const Tensor& u, Index heads) const {
    return ConstView(u.data(), {1, heads, n_, u.shape()[1]}, {0, 0, u.shape()[1], 1});
  }

  // The mean over the heads of values [1, H, N, C], in double, row after row.
  static std::vector<double> head_mean(const Tensor& values) {
    const ConstView heads = values.view().select(0, 0);
    std::vector<double> mean, row;
    for (Index i = 0; i < heads.shape()[1]; ++i) {
      merge_row(heads, HeadMerge::mean, i, row);
      mean.insert(mean.end(), row.begin(), row.end());
    }
    return mean;
  }

  std::vector<double> mean_product(const Tensor& u) const {  // Ā u, [N, C]
    if (!layer_.stored()) {
      return head_mean(
          attention_product(layer_.q, layer_.k, repeated(u, layer_.k.shape()[1]), layer_.options));
    }
    const Index columns = u.shape()[1];
    std::vector<double> result(static_cast<std::size_t>(n_ * columns));
    const ConstView heads = layer_.weights.select(0, 0);
    parallel_for(n_, [&](Index i) {
      std::vector<double> row;
      merge_row(heads, HeadMerge::mean, i, row);
      for (Index j = 0; j < n_; ++j) {
        for (Index c = 0; c < columns; ++c) {
          result[static_cast<std::size_t>(i * columns + c)] +=
              row[static_cast<std::size_t>(j)] * static_cast<double>(u(j, c));
        }
      }
    });
    return result;
  }

  std::vector<double> mean_transposed_product(const Tensor& u) const {  // Āᵀ u, [N, C]
    if (!layer_.stored()) {
      return head_mean(
          attention_transposed_product(layer_.q, layer_.k, repeated(u, layer_.heads()), layer_.options));
    }
    const Index columns = u.shape()[1];
    std::vector<double> result(static_cast<std::size_t>(n_ * columns)), row;
    const ConstView heads = layer_.weights.select(0, 0);
    for (Index i = 0; i < n_; ++i) {
      merge_row(heads, HeadMerge::mean, i, row);
      for (Index j = 0; j < n_; ++j) {
        for (Index c = 0; c < columns; ++c) {
          result[static_cast<std::size_t>(j * columns + c)] +=
              row[static_cast<std::size_t>(j)] * static_cast<double>(u(i, c));
        }
      }
    }
    return result;
  }

  // Row sums of Ā + I: 2, but where a head sees nothing.
  std::vector<double> row_sums() const {
    std::vector<double> sums = mean_product(Tensor::filled({n_, 1}, 1));
    for (double& sum : sums) sum += 1;
    return sums;
  }

  const LayerView& layer_;
  Index n_;
};

Tensor checked_u(ConstView u, Index n) {
  if (u.shape().rank() != 2 || u.shape()[0] != n)
    fail("[rollout] u is {}, expected [{}, C]", u.shape().to_string(), n);
  return Tensor::copy_of(u);
}

// Calls body(layer), with what is asked for between two layers.
template <typename Layers, typename Body>
void for_each_layer(const Layers& layers, const RolloutOptions& options, const Body& body) {
  double done = 0;
  for (const LayerView& layer : layers) {
    check_stop(options.stop, "rollout");
    body(layer);
    done += 1;
    if (options.progress) options.progress(done / static_cast<double>(layers.size()));
  }
}

}  // namespace

Tensor rollout_product(const Run& run, ConstView u, const RolloutOptions& options) {
  const std::vector<LayerView> layers = self_attention_layers("rollout", run);
  Tensor result = checked_u(u, layers.front().queries());
  for_each_layer(layers, options,
                 [&](const LayerView& layer) { result = ResidualLayer(layer).apply(result); });
  return result;
}

Tensor rollout_transposed_product(const Run& run, ConstView u, const RolloutOptions& options) {
  std::vector<LayerView> layers = self_attention_layers("rollout", run);
  Tensor result = checked_u(u, layers.front().queries());
  std::reverse(layers.begin(), layers.end());
  for_each_layer(layers, options,
                 [&](const LayerView& layer) { result = ResidualLayer(layer).apply_transposed(result); });
  return result;
}

Tensor rollout_by_layer(const Run& run, const RolloutOptions& options) {
  const std::vector<LayerView> layers = self_attention_layers("rollout", run);
  const Index n = layers.front().queries();
  Tensor all = Tensor::uninitialized({static_cast<Index>(layers.size()), n, n});
  float* to = all.data();
  Tensor result = Matrix::identity(n).to_tensor();
  for_each_layer(layers, options, [&](const LayerView& layer) {
    result = ResidualLayer(layer).apply(result);
    to = std::copy_n(result.data(), n * n, to);
  });
  return all;
}

std::vector<double> rollout_row(const Run& run, Index position, const RolloutOptions& options) {
  const Index n = self_attention_layers("rollout", run).front().queries();
  check_position("rollout", position, n);
  Tensor one({n, 1});
  one(position, 0) = 1;
  const Tensor row = rollout_transposed_product(run, one, options);
  return {row.data(), row.data() + n};
}

}  // namespace fovea
