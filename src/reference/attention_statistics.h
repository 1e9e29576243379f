// The slow truth about attention's statistics: from the explicit weights, in double.
#pragma once

#include <vector>

#include "fovea/attention_statistics.h"
#include "reference/double_array.h"

namespace fovea::reference {

// As fovea::AttentionStatistics, for all heads one after the other; weights [heads, N, M] besides.
struct AttentionStatistics {
  DoubleArray weights;            // [heads, N, M]
  std::vector<double> logsumexp;  // [heads · N], as the next ones
  std::vector<double> entropy, maximum, diagonal, distance;
  std::vector<Index> position, visible;
  std::vector<double> received;                  // [heads · M]
  std::vector<double> thumbnail, thumbnail_max;  // [heads · R · C]
  std::vector<double> mean_entropy, mean_maximum, mean_diagonal, mean_distance, mean_visible;  // [heads]
  std::vector<Index> rows_seeing;                                                              // [heads]
};

// Always computes everything; `thumbnail` is G.
AttentionStatistics attention_statistics(const DoubleArray& q, const DoubleArray& k,
                                         AttentionOptions options, Index thumbnail);

}  // namespace fovea::reference
