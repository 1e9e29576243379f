#include "analysis.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "fovea/safetensors.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

// The cost is heads²/2 · rows · M logarithms: this many take about a second.
constexpr double kMostLogarithms = 2e8;
constexpr Index kFewestRows = 8;

Index rows_to_compare(Index heads, Index queries, Index keys) {
  const double per_row =
      static_cast<double>(heads) * static_cast<double>(heads) / 2 * static_cast<double>(keys);
  const auto affordable = static_cast<Index>(kMostLogarithms / per_row);
  return std::min(queries, std::max(kFewestRows, affordable));
}

void check_self_attention(const CapturedAttention& call) {
  if (call.kind == AttentionKind::cross || call.q.shape()[2] != call.k.shape()[2]) {
    throw RequestError(422,
                       "rollout follows tokens through layers of self-attention; cross-attention has "
                       "other tokens on its two sides");
  }
}

std::vector<RolloutLayer> rollout_layers(const Capture& capture, AttentionKind kind) {
  check_self_attention(capture.at(kind, 0));
  std::vector<RolloutLayer> layers;
  for (Index layer = 0; layer < capture.layers(kind); ++layer) {
    const CapturedAttention& call = capture.at(kind, layer);
    layers.push_back({call.q, call.k, call.options});
  }
  return layers;
}

Tensor identity(Index size) {
  Tensor matrix({size, size});
  for (Index i = 0; i < size; ++i) matrix(i, i) = 1;
  return matrix;
}

}  // namespace

HeadSimilarity similarity_of(const Capture& capture, AttentionKind kind) {
  const CapturedAttention& first = capture.at(kind, 0);
  const Index layers = capture.layers(kind), heads = first.q.shape()[1];
  const Index n = first.q.shape()[2], m = first.k.shape()[2];
  const Index rows = rows_to_compare(layers * heads, n, m);
  Tensor weights = Tensor::uninitialized({layers * heads, rows, m});
  for (Index layer = 0; layer < layers; ++layer) {
    const CapturedAttention& call = capture.at(kind, layer);
    for (Index r = 0; r < rows; ++r) {
      const Index row = r * n / rows;
      const Tensor part =
          attention_crop(call.q, call.k, call.options, {row, row + 1, 0, m});  // [1, H, 1, M]
      for (Index head = 0; head < heads; ++head) {
        std::copy_n(part.data() + head * m, m, &weights(layer * heads + head, r, 0));
      }
    }
  }
  return head_similarity(weights);
}

std::string similarity_bytes(const Capture& capture, AttentionKind kind) {
  const HeadSimilarity similarity = similarity_of(capture, kind);
  NamedArrays arrays("[similarity]");
  arrays.add("divergence", similarity.divergence.to_tensor());
  arrays.add("layout", similarity.layout.to_tensor());
  arrays.add("order", Ids({static_cast<Index>(similarity.order.size())}, similarity.order));
  return safetensors_bytes(arrays);
}

Tensor rollout_of(const Capture& capture, AttentionKind kind) {
  const std::vector<RolloutLayer> layers = rollout_layers(capture, kind);
  const Index n = capture.at(kind, 0).q.shape()[2];
  if (n > kMostRolloutTokens) {
    throw RequestError(422,
                       fmt::format("the rollout of {} tokens is given row by row (query=i), whole ones up "
                                   "to {} tokens",
                                   n, kMostRolloutTokens));
  }
  Tensor all = Tensor::uninitialized({static_cast<Index>(layers.size()), n, n});
  Tensor product = identity(n);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    product = rollout_product({layers[i]}, product);
    std::copy_n(product.data(), n * n, &all(i, 0, 0));
  }
  return all;
}

std::string rollout_bytes(const Capture& capture, AttentionKind kind) {
  NamedArrays arrays("[rollout]");
  arrays.add("rollout", rollout_of(capture, kind));
  return safetensors_bytes(arrays, {{"rollout", StoredType::f16}});
}

RolloutRow::RolloutRow(const Capture& capture, AttentionKind kind, Index query)
    : layers_(rollout_layers(capture, kind)), row_({capture.at(kind, 0).q.shape()[2], 1}) {
  row_(query, 0) = 1;
}

void RolloutRow::follow_one_layer() {
  row_ = rollout_transposed_product({layers_.back()}, row_);
  layers_.pop_back();
}

std::string RolloutRow::bytes() const {
  NamedArrays arrays("[rollout]");
  arrays.add("row", Tensor::copy_of(row_.view().select(1, 0)));
  return safetensors_bytes(arrays);
}

}  // namespace fovea::explorer
