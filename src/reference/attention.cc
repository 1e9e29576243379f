#include "reference/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dropout.h"
#include "core/fail.h"
#include "mask/bias_node.h"
#include "mask/mask_node.h"
#include "reference/extents.h"

namespace fovea::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Shape with_last(const Shape& shape, Index last) {
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) extents.push_back(shape[axis]);
  if (last >= 0) extents.push_back(last);
  return Shape(extents);
}

// Pass 1: query · key, scaled, capped, with bias and mask; hidden keys stay −inf and are not read.
std::vector<double> scores_of_row(const DoubleArray& q, const DoubleArray& k, const CallExtents& e,
                                  const Row& row, const Intervals& visible,
                                  const AttentionOptions& options) {
  const Index h = row.batch * e.heads + row.head, i = row.query;
  const double default_scale = e.d == 0 ? 1 : 1 / std::sqrt(static_cast<double>(e.d));
  const double scale = options.scale ? static_cast<double>(*options.scale) : default_scale;
  std::vector<float> added(static_cast<std::size_t>(e.m), 0.0f);
  std::vector<double> scores(static_cast<std::size_t>(e.m), -kInfinity);
  for (const Interval& interval : visible) {
    for (Index j = interval.begin; j < interval.end; ++j) {
      const double *query = q.row(h * e.n + i), *key = k.row(e.key_head(h) * e.m + j);
      double score = 0;
      for (Index c = 0; c < e.d; ++c) score += query[c] * key[c];
      score *= scale;
      if (options.softcap > 0) score = options.softcap * std::tanh(score / options.softcap);
      float& extra = added[static_cast<std::size_t>(j)];
      if (!options.bias.is_none()) options.bias.node()->add_values(row, j, j + 1, &extra);
      if (options.mask.is_additive()) options.mask.node()->add_values(row, j, j + 1, &extra);
      scores[static_cast<std::size_t>(j)] = score + static_cast<double>(extra);
    }
  }
  return scores;
}

// Pass 2: softmax against the row's maximum. Returns the log-sum-exp; a row without keys becomes zeros.
double softmax_in_place(std::vector<double>& row) {
  double max = -kInfinity;
  for (const double score : row) max = std::max(max, score);
  const double shift = max == -kInfinity ? 0 : max;
  double sum = 0;
  for (double& score : row) sum += score = std::exp(score - shift);
  if (sum == 0) return -kInfinity;
  for (double& weight : row) weight /= sum;  // NaN, if any score was
  return shift + std::log(sum);
}

// Pass 3: dropout, by the counter that the kernels use; the denominator stays as it was.
void drop(std::vector<double>& row, Index h, Index i, const AttentionOptions& options) {
  if (options.dropout == 0) return;
  const DropoutRow keys = dropout_row(options.seed, h, i);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const bool kept = dropout_bits(keys, static_cast<Index>(j)) >= dropout_threshold(options.dropout);
    row[j] = kept ? row[j] / (1 - static_cast<double>(options.dropout)) : 0;
  }
}

}  // namespace

AttentionResult attention(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                          const AttentionOptions& options) {
  const CallExtents e(q, k, v);
  AttentionResult result;
  result.output = DoubleArray(with_last(q.shape, e.dv));
  result.weights = DoubleArray(with_last(q.shape, e.m));
  result.logsumexp = DoubleArray(with_last(q.shape, -1));
  for (Index h = 0; h < e.heads_total; ++h) {
    for (Index i = 0; i < e.n; ++i) {
      const Row where{h / e.heads, h % e.heads, i, e.n, e.m};
      Intervals visible;
      if (e.m > 0) visible.push_back({0, e.m});
      if (!options.mask.is_none()) options.mask.node()->visible_keys(where, visible);
      std::vector<double> row = scores_of_row(q, k, e, where, visible, options);
      result.logsumexp.values[static_cast<std::size_t>(h * e.n + i)] = softmax_in_place(row);
      drop(row, h, i, options);
      // Pass 4: weights · values, visible keys only: 0 · NaN would be NaN.
      double* out = result.output.row(h * e.n + i);
      for (const Interval& interval : visible) {
        for (Index j = interval.begin; j < interval.end; ++j) {
          const double weight = row[static_cast<std::size_t>(j)];
          result.weights.row(h * e.n + i)[j] = weight;
          for (Index c = 0; c < e.dv; ++c) out[c] += weight * v.row(e.key_head(h) * e.m + j)[c];
        }
      }
    }
  }
  return result;
}

DoubleArray softmax(const DoubleArray& x, int axis) {
  const int rank = x.shape.rank();
  if (axis < -rank || axis >= rank) {
    fail("[reference::softmax] axis {} is outside shape {}", axis, x.shape.to_string());
  }
  if (axis < 0) axis += rank;
  Index outer = 1, inner = 1;
  const Index length = x.shape[axis];
  for (int a = 0; a < axis; ++a) outer *= x.shape[a];
  for (int a = axis + 1; a < rank; ++a) inner *= x.shape[a];
  DoubleArray result(x.shape);
  std::vector<double> row(static_cast<std::size_t>(length));
  for (Index o = 0; o < outer; ++o) {
    for (Index c = 0; c < inner; ++c) {
      const auto at = [&](Index i) { return static_cast<std::size_t>((o * length + i) * inner + c); };
      for (Index i = 0; i < length; ++i) row[static_cast<std::size_t>(i)] = x.values[at(i)];
      softmax_in_place(row);
      for (Index i = 0; i < length; ++i) result.values[at(i)] = row[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

DoubleArray matmul(const DoubleArray& x, const DoubleArray& w) {
  DoubleArray result(with_last(x.shape, w.shape[1]));
  const Index rows = x.shape.back() == 0 ? 0 : x.shape.elements() / x.shape.back();
  for (Index i = 0; i < rows; ++i) {
    for (Index f = 0; f < w.shape[1]; ++f) {
      double sum = 0;
      for (Index c = 0; c < w.shape[0]; ++c) sum += x.row(i)[c] * w.row(c)[f];
      result.row(i)[f] = sum;
    }
  }
  return result;
}

}  // namespace fovea::reference
