// Statistics of weights that are there, row by row: what the fused kernel computes from queries and keys.
#pragma once

#include <vector>

#include "fovea/attention_statistics.h"

namespace fovea {

class WeightStatistics {
 public:
  // Of heads whose axes before N are `leading` (none: one head), [N, M] each.
  WeightStatistics(const std::vector<Index>& leading, Index n, Index m, const StatisticsOptions& options);

  // Row `row` of head `head`, counted over all leading axes. Rows of one head come from the top; different
  // heads may come from different threads. `visible`: how many keys the row may see.
  void add_row(Index head, Index row, const std::vector<double>& weights, Index visible);

  AttentionStatistics finish();

 private:
  void add_facts(Index at, Index row, const std::vector<double>& weights, Index visible);
  void add_largest(Index at, const std::vector<double>& weights);
  void add_cells(Index head, Index row, const std::vector<double>& weights);
  void finish_means();
  void finish_cells();

  Index heads_, n_, m_, top_k_, cell_rows_, cell_columns_;
  StatisticsOptions options_;
  AttentionStatistics result_;
  std::vector<double> received_;  // [heads, M]
  std::vector<double> cells_;     // [heads, R, C] sums
};

}  // namespace fovea
