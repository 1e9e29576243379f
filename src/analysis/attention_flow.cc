#include <algorithm>
#include <limits>

#include "analysis/rollout.h"
#include "core/fail.h"
#include "core/parallel.h"

namespace fovea {
namespace {

constexpr double kNothing = 1e-12;  // capacities below are used up

// The layered graph: node (l, i) has edges to all (l − 1, j). Maximum flow by Dinic's algorithm.
class FlowGraph {
 public:
  explicit FlowGraph(const std::vector<Matrix>& layers)
      : n_(layers.front().rows()),
        depth_(static_cast<Index>(layers.size())),
        layers_(layers),
        flow_(layers) {}

  // From position `source` of the last layer to input token `target`.
  double maximum(Index source, Index target) {
    for (Matrix& layer : flow_) layer = Matrix(n_, n_);
    source_ = node(depth_, source);
    target_ = node(0, target);
    double total = 0;
    while (find_levels()) {
      next_.assign(level_.size(), 0);
      for (double pushed = 1; pushed > 0; total += pushed) {
        pushed = push(source_, std::numeric_limits<double>::infinity());
      }
    }
    return total;
  }

 private:
  Index node(Index layer, Index i) const { return layer * n_ + i; }

  // What can still go from node a to its k-th neighbour: 0..N−1 are the nodes below, N..2N−1 those above
  // (taking back flow that came from there).
  double residual(Index a, Index k) const {
    const Index layer = a / n_, i = a % n_;
    if (k < n_) return layer == 0 ? 0 : layers_[below(layer)](i, k) - flow_[below(layer)](i, k);
    return layer == depth_ ? 0 : flow_[below(layer + 1)](k - n_, i);
  }
  Index neighbour(Index a, Index k) const {
    return k < n_ ? node(a / n_ - 1, k) : node(a / n_ + 1, k - n_);
  }
  void add(Index a, Index k, double amount) {
    const Index layer = a / n_, i = a % n_;
    if (k < n_) {
      flow_[below(layer)](i, k) += amount;
    } else {
      flow_[below(layer + 1)](k - n_, i) -= amount;
    }
  }
  static std::size_t below(Index layer) { return static_cast<std::size_t>(layer - 1); }

  // Distances from the source over edges with something left; false if the target is out of reach.
  bool find_levels() {
    level_.assign(static_cast<std::size_t>((depth_ + 1) * n_), -1);
    std::vector<Index> queue = {source_};
    level_[static_cast<std::size_t>(source_)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Index a = queue[head];
      for (Index k = 0; k < 2 * n_; ++k) {
        if (residual(a, k) <= kNothing) continue;
        const Index b = neighbour(a, k);
        if (level_[static_cast<std::size_t>(b)] >= 0) continue;
        level_[static_cast<std::size_t>(b)] = level_[static_cast<std::size_t>(a)] + 1;
        queue.push_back(b);
      }
    }
    return level_[static_cast<std::size_t>(target_)] >= 0;
  }

  // Pushes at most `limit` from a towards the target along growing levels. As deep as a path is long.
  double push(Index a, double limit) {
    if (a == target_) return limit;
    for (Index& k = next_[static_cast<std::size_t>(a)]; k < 2 * n_; ++k) {
      const double left = residual(a, k);
      if (left <= kNothing) continue;
      const Index b = neighbour(a, k);
      if (level_[static_cast<std::size_t>(b)] != level_[static_cast<std::size_t>(a)] + 1) continue;
      const double pushed = push(b, std::min(limit, left));
      if (pushed <= 0) continue;
      add(a, k, pushed);
      return pushed;
    }
    return 0;
  }

  Index n_, depth_;
  const std::vector<Matrix>& layers_;  // capacities
  std::vector<Matrix> flow_;
  Index source_ = 0, target_ = 0;
  std::vector<Index> level_, next_;
};

std::vector<Matrix> capacities(const Run& run) {
  const std::vector<LayerView> layers = self_attention_layers("attention_flow", run);
  const Index n = layers.front().queries();
  if (n > kMaxFlowTokens)
    fail("[attention_flow] got {} tokens, expected at most {}; rollout has no limit", n, kMaxFlowTokens);
  std::vector<Matrix> all;
  for (const LayerView& layer : layers) all.push_back(residual_weights("attention_flow", layer));
  return all;
}

}  // namespace

std::vector<double> attention_flow(const Run& run, Index position, const RolloutOptions& options) {
  const std::vector<Matrix> layers = capacities(run);
  const Index n = layers.front().rows();
  check_position("attention_flow", position, n);
  std::vector<double> flows(static_cast<std::size_t>(n));
  parallel_for(n, options.stop, "attention_flow", [&](Index j) {
    flows[static_cast<std::size_t>(j)] = FlowGraph(layers).maximum(position, j);
  });
  return flows;
}

Matrix attention_flow(const Run& run, const RolloutOptions& options) {
  const std::vector<Matrix> layers = capacities(run);
  const Index n = layers.front().rows();
  Matrix flows(n, n);
  parallel_for(n, options.stop, "attention_flow", [&](Index i) {
    FlowGraph graph(layers);
    for (Index j = 0; j < n; ++j) flows(i, j) = graph.maximum(i, j);
  });
  return flows;
}

}  // namespace fovea
