#include "fovea/measures.h"

#include <algorithm>
#include <cmath>

#include "analysis/measure_rows.h"
#include "core/parallel.h"
#include "run/weights.h"

namespace fovea {
namespace {

// Sums further from 1 than this are told; float16 weights come as near as that.
constexpr double kSumTolerance = 1e-3;

// Takes note of rows whose weights do not sum to 1, and of weights above the diagonal. A row without any
// weight sees nothing, unless a mask says that it does.
void note_rows(ConstView w, const Mask& mask, AttentionMeasures& result) {
  const ScoreExtents extents = extents_of(w);
  VisibleKeys visible(mask.node(), extents);
  std::vector<double> row(static_cast<std::size_t>(extents.m));
  result.looks_causal =
      !result.masked && extents.n >= 3 && extents.m >= extents.n && extents.heads > 0 && extents.batch > 0;
  for (Index task = 0; task < extents.batch * extents.heads * extents.n; ++task) {
    const Index i = task % extents.n, h = task / extents.n % extents.heads;
    const Index b = task / extents.n / extents.heads;
    visible.set_row(b, h, i);
    read_row(w, b, h, i, row);
    double sum = 0, later = 0;
    for (Index j = 0; j < extents.m; ++j) {
      sum += row[static_cast<std::size_t>(j)];
      if (j > i + extents.m - extents.n) later += row[static_cast<std::size_t>(j)];
    }
    if (later > 0) result.looks_causal = false;
    if (std::abs(sum - 1) <= kSumTolerance || visible.count() == 0 || (sum == 0 && !result.masked))
      continue;
    const bool first = result.rows_not_one++ == 0;
    result.lowest_sum = first ? sum : std::min(result.lowest_sum, sum);
    result.highest_sum = first ? sum : std::max(result.highest_sum, sum);
  }
}

}  // namespace

AttentionMeasures measure_attention(ConstView weights, const Mask& mask, const MeasureOptions& options) {
  const ConstView w = weights_as_rank_5("measures", weights);
  check_weights("measures", weights);
  check_hidden("measures", weights, mask);
  const ScoreExtents extents = extents_of(w);
  AttentionMeasures result;
  result.shape = weights.shape();
  result.masked = !mask.is_none();
  note_rows(w, mask, result);
  const MeasurePlan plan(options, extents.n, extents.m);
  MeasureRows measures(plan, mask, extents, options.head_mean);
  // In bands only to tell how far it is; there is enough work in one for all threads.
  constexpr Index kBandWeights = Index{1} << 24;
  const Index per_row = std::max<Index>(1, extents.batch * extents.heads * extents.m);
  const Index band = std::max<Index>(1, kBandWeights / per_row);
  for (Index begin = 0; begin < extents.n; begin += band) {
    const Index end = std::min(extents.n, begin + band);
    check_stop(options.stop, "measures");
    measures.add(w.slice(3, begin, end));
    if (options.progress) options.progress(static_cast<double>(end) / static_cast<double>(extents.n));
  }
  measures.finish(result);
  return result;
}

}  // namespace fovea
