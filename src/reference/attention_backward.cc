#include "reference/attention_backward.h"

#include <cmath>

#include "core/dropout.h"
#include "mask/mask_node.h"
#include "reference/attention.h"

namespace fovea::reference {
namespace {

double dot(const double* a, const double* b, Index count) {
  double sum = 0;
  for (Index c = 0; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

void add(double factor, const double* from, Index count, double* to) {
  for (Index c = 0; c < count; ++c) to[c] += factor * from[c];
}

// By what dropout multiplies the weight of (i, j): 0 or 1 / (1 − p).
double dropout_factor(const AttentionOptions& options, Index h, Index i, Index j) {
  if (options.dropout == 0) return 1;
  const bool kept = dropout_bits(dropout_row(options.seed, h, i), j) >= dropout_threshold(options.dropout);
  return kept ? 1 / (1 - static_cast<double>(options.dropout)) : 0;
}

}  // namespace

AttentionGradients attention_backward(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                                      const DoubleArray& doutput, const AttentionOptions& options) {
  // Pass 1: the weights as softmax made them, before dropout.
  AttentionOptions without_dropout = options;
  without_dropout.dropout = 0;
  const DoubleArray weights = attention(q, k, v, without_dropout).weights;

  const Index n = q.shape.back(1), m = k.shape.back(1), d = q.shape.back(), dv = v.shape.back();
  const bool has_heads = q.shape.rank() >= 4;
  const Index heads = has_heads ? q.shape.back(2) : 1, key_heads = has_heads ? k.shape.back(2) : 1;
  const double default_scale = d == 0 ? 1 : 1 / std::sqrt(static_cast<double>(d));
  const double scale = options.scale ? static_cast<double>(*options.scale) : default_scale;
  const auto cap = static_cast<double>(options.softcap);
  Index heads_total = 1;
  for (int axis = 0; axis < q.shape.rank() - 2; ++axis) heads_total *= q.shape[axis];

  AttentionGradients g{DoubleArray(q.shape), DoubleArray(k.shape), DoubleArray(v.shape),
                       DoubleArray(weights.shape)};
  for (Index row = 0; row < heads_total * n; ++row) {
    const Index h = row / n, i = row % n;
    const Index first_key = (h / heads * key_heads + h % heads / (heads / key_heads)) * m;
    Intervals visible;
    if (m > 0) visible.push_back({0, m});
    if (!options.mask.is_none())
      options.mask.node()->visible_keys({h / heads, h % heads, i, n, m}, visible);
    const auto for_visible = [&visible](const auto& body) {
      for (const Interval& interval : visible) {
        for (Index j = interval.begin; j < interval.end; ++j) body(j);
      }
    };

    // Pass 2: output = Σ_j w_j v_j, where w is the weight after dropout. dv_j = w_j · doutput; the gradient
    // by the weight p_j before dropout is doutput · v_j, times the factor; and Σ_j p_j dp_j is what softmax
    // subtracts.
    std::vector<double> dp(static_cast<std::size_t>(m), 0.0);
    double mean = 0;
    for_visible([&](Index j) {
      const double factor = dropout_factor(options, h, i, j), p = weights.row(row)[j];
      add(p * factor, doutput.row(row), dv, g.dv.row(first_key + j));
      dp[static_cast<std::size_t>(j)] = factor * dot(doutput.row(row), v.row(first_key + j), dv);
      mean += p * dp[static_cast<std::size_t>(j)];
    });

    // Pass 3: softmax, then the cap (whose slope is 1 − tanh²), then scale · q · k.
    for_visible([&](Index j) {
      const double dscore = weights.row(row)[j] * (dp[static_cast<std::size_t>(j)] - mean);
      g.dscores.row(row)[j] = dscore;
      double dproduct = dscore * scale;
      if (cap > 0) {
        const double t = std::tanh(scale * dot(q.row(row), k.row(first_key + j), d) / cap);
        dproduct *= 1 - t * t;
      }
      add(dproduct, k.row(first_key + j), d, g.dq.row(row));
      add(dproduct, q.row(row), d, g.dk.row(first_key + j));
    });
  }
  return g;
}

}  // namespace fovea::reference
