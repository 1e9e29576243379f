// Measures from q and k: what the fused statistics know, and the rest from bands of rows.
#include <algorithm>
#include <cmath>

#include "analysis/measure_rows.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/attention_statistics.h"
#include "fovea/measures.h"
#include "ops/attention_views.h"
#include "run/band.h"
#include "run/weights.h"

namespace fovea {
namespace {

// A row with a NaN has entropy NaN: no measure of it means anything.
void check_finite(const AttentionStatistics& statistics, const ScoreExtents& extents) {
  for (Index at = 0; at < statistics.entropy.shape().elements(); ++at) {
    if (!std::isnan(statistics.entropy.data()[at])) continue;
    fail("[measures] query {} of head {}, batch entry {}, has a score that is NaN or +inf", at % extents.n,
         at / extents.n % extents.heads, at / extents.n / extents.heads);
  }
}

// The shape of the call's results as rank 5: [A, B, H, rows, keys].
Tensor as_rank_5_band(Tensor band, const ScoreExtents& extents, Index rows) {
  return std::move(band).reshaped({extents.batch / std::max<Index>(1, extents.inner_batch),
                                   extents.inner_batch, extents.heads, rows, extents.m});
}

}  // namespace

AttentionMeasures measure_attention(ConstView q, ConstView k, const AttentionOptions& options,
                                    const MeasureOptions& measure_options) {
  const AttentionViews views = attention_views("measures", q, k, k);
  const ScoreExtents extents = views.extents();
  const MeasurePlan plan(measure_options, extents.n, extents.m);
  const AttentionStatistics statistics =
      attention_statistics(q, k, options, {.thumbnail = 0, .stop = measure_options.stop});
  check_finite(statistics, extents);

  AttentionMeasures result;
  result.shape = views.result_shape(extents.n, extents.m);
  result.masked = !options.mask.is_none();

  const auto known = [&](Index b, Index h, Index i) {
    const Index row = (b * extents.heads + h) * extents.n + i;
    const auto value = [&](const Tensor& measure) { return static_cast<double>(measure.data()[row]); };
    const double maximum = value(statistics.maximum);
    return RowFacts{maximum > 0 ? 1.0 : 0.0, value(statistics.entropy), maximum, value(statistics.distance),
                    value(statistics.diagonal)};
  };
  MeasureRows measures(plan, options.mask, extents, measure_options.head_mean);
  const bool bands = measure_options.head_mean || plan.wants_weights();
  if (!bands) measures.add_facts(extents.n, known);
  const Index per_row = extents.batch * extents.heads * extents.m;
  for_each_row_band(0, bands ? extents.n : 0, per_row, [&](Index begin, Index end) {
    check_stop(measure_options.stop, "measures");
    const Tensor rows =
        as_rank_5_band(attention_crop(q, k, options, {begin, end, 0, extents.m}), extents, end - begin);
    measures.add(rows, known);
    if (measure_options.progress) {
      measure_options.progress(static_cast<double>(end) / static_cast<double>(extents.n));
    }
  });
  for (Index b = 0; b < extents.batch; ++b) {
    for (Index h = 0; h < extents.heads; ++h) {
      measures.set_received(b, h, statistics.received.data() + (b * extents.heads + h) * extents.m);
    }
  }
  measures.finish(result);
  return result;
}

}  // namespace fovea
