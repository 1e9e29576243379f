#include "reference/attention_statistics.h"

#include <algorithm>
#include <cmath>

#include "core/at.h"
#include "mask/intervals.h"
#include "mask/mask_node.h"
#include "reference/attention.h"

namespace fovea::reference {
namespace {

// Measures of one row of weights; position −1 and zeros for a row without weight, NaN if a weight is.
void add_row(const double* weights, Index m, Index own, AttentionStatistics& s) {
  double entropy = 0, maximum = 0, distance = 0;
  Index position = -1;
  bool defined = true;
  for (Index j = 0; j < m; ++j) {
    const double w = weights[j];
    defined &= !std::isnan(w);
    if (w > 0) entropy -= w * std::log(w);
    if (w > maximum) maximum = w, position = j;
    distance += w * std::abs(static_cast<double>(j - own));
  }
  s.entropy.push_back(defined ? entropy : NAN);
  s.maximum.push_back(defined ? maximum : NAN);
  s.position.push_back(defined ? position : -1);
  s.distance.push_back(distance);
  const bool has_own = own >= 0 && own < m;
  s.diagonal.push_back(!defined ? NAN : has_own ? weights[own] : 0);
}

Index visible_keys(const Mask& mask, const Row& row) {
  if (mask.is_none()) return row.m;
  Intervals keys;
  mask.node()->visible_keys(row, keys);
  return count_keys(keys);
}

// Mean and maximum of every cell, weight by weight.
void add_picture(const double* weights, Index n, Index m, Index size, AttentionStatistics& s) {
  const Index rows = std::min(size, n), columns = std::min(size, m);
  std::vector<double> sum(at(rows * columns)), max(sum.size()), count(sum.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const std::size_t cell = at(i * rows / n * columns + j * columns / m);
      const double w = weights[i * m + j];
      sum[cell] += w;
      max[cell] = std::isnan(w) || std::isnan(max[cell]) ? NAN : std::max(max[cell], w);
      count[cell] += 1;
    }
  }
  for (std::size_t cell = 0; cell < sum.size(); ++cell) s.thumbnail.push_back(sum[cell] / count[cell]);
  s.thumbnail_max.insert(s.thumbnail_max.end(), max.begin(), max.end());
}

// Means over the rows of the last head that see something.
void add_means(Index n, AttentionStatistics& s) {
  double entropy = 0, maximum = 0, diagonal = 0, distance = 0, visible = 0;
  Index seeing = 0;
  for (std::size_t row = s.entropy.size() - at(n); row < s.entropy.size(); ++row) {
    if (s.maximum[row] == 0) continue;
    ++seeing;
    entropy += s.entropy[row], maximum += s.maximum[row];
    diagonal += s.diagonal[row], distance += s.distance[row];
    visible += static_cast<double>(s.visible[row]);
  }
  const double count = static_cast<double>(std::max<Index>(1, seeing));
  s.mean_entropy.push_back(entropy / count);
  s.mean_maximum.push_back(maximum / count);
  s.mean_diagonal.push_back(diagonal / count);
  s.mean_distance.push_back(distance / count);
  s.mean_visible.push_back(visible / count);
  s.rows_seeing.push_back(seeing);
}

}  // namespace

AttentionStatistics attention_statistics(const DoubleArray& q, const DoubleArray& k,
                                         AttentionOptions options, Index thumbnail) {
  options.dropout = 0;  // the weights before dropout
  const AttentionResult whole = attention(q, k, k, options);
  const Index n = q.shape.back(1), m = k.shape.back(1);
  Index total = 1;
  for (int axis = 0; axis < q.shape.rank() - 2; ++axis) total *= q.shape[axis];
  const Index heads = q.shape.rank() >= 4 ? q.shape.back(2) : 1;

  AttentionStatistics s;
  s.weights = DoubleArray({total, n, m}, whole.weights.values);
  s.logsumexp = whole.logsumexp.values;
  s.received.assign(at(total * m), 0.0);
  for (Index h = 0; h < total; ++h) {
    for (Index i = 0; i < n; ++i) {
      const double* row = s.weights.values.data() + (h * n + i) * m;
      add_row(row, m, i + m - n, s);
      s.visible.push_back(visible_keys(options.mask, {h / heads, h % heads, i, n, m}));
      for (Index j = 0; j < m; ++j) s.received[at(h * m + j)] += row[j];
    }
    add_picture(s.weights.values.data() + h * n * m, n, m, thumbnail, s);
    add_means(n, s);
  }
  return s;
}

}  // namespace fovea::reference
