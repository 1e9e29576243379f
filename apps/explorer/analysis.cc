#include "analysis.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

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

}  // namespace

HeadSimilarity similarity_of(const Run& run, AttentionKind kind, const std::stop_token& stop) {
  const LayerView& first = run.layer(kind, 0);
  const Index heads = run.layers(kind) * first.heads();
  HeadSimilarityOptions options;
  options.rows = rows_to_compare(heads, first.queries(), first.keys());
  options.stop = stop;
  return head_similarity(run.select(kind), options);
}

std::string similarity_bytes(const Run& run, AttentionKind kind, const std::stop_token& stop) {
  const HeadSimilarity similarity = similarity_of(run, kind, stop);
  NamedArrays arrays("[similarity]");
  arrays.add("divergence", similarity.divergence.to_tensor());
  arrays.add("layout", similarity.layout.to_tensor());
  arrays.add("order", Ids({static_cast<Index>(similarity.order.size())}, similarity.order));
  return safetensors_bytes(arrays);
}

void check_rollout(const Run& run, AttentionKind kind) {
  const LayerView& first = run.layer(kind, 0);
  if (kind != AttentionKind::cross && first.queries() == first.keys()) return;
  throw RequestError(422,
                     "rollout follows tokens through layers of self-attention; in cross-attention, "
                     "queries and keys are different sequences");
}

Tensor rollout_of(const Run& run, AttentionKind kind, const std::stop_token& stop) {
  check_rollout(run, kind);
  const Index n = run.layer(kind, 0).queries();
  if (n > kMostRolloutTokens) {
    throw RequestError(422,
                       fmt::format("the rollout of {} tokens is available one row at a time (query=i); "
                                   "the full matrix is limited to {} tokens",
                                   n, kMostRolloutTokens));
  }
  return rollout_by_layer(run.select(kind), {.stop = stop});
}

std::string rollout_bytes(const Run& run, AttentionKind kind, const std::stop_token& stop) {
  NamedArrays arrays("[rollout]");
  arrays.add("rollout", rollout_of(run, kind, stop));
  return safetensors_bytes(arrays, {{"rollout", StoredType::f16}});
}

std::string rollout_row_bytes(const Run& run, AttentionKind kind, Index query,
                              const std::stop_token& stop) {
  const std::vector<double> row = rollout_row(run.select(kind), query, {.stop = stop});
  NamedArrays arrays("[rollout]");
  const Tensor numbers = Matrix(1, static_cast<Index>(row.size()), row).to_tensor();
  arrays.add("row", Tensor::copy_of(numbers.view().select(0, 0)));
  return safetensors_bytes(arrays);
}

}  // namespace fovea::explorer
