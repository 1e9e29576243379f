#include "analysis/measure_rows.h"

#include <algorithm>

#include "core/parallel.h"
#include "run/merge_heads.h"
#include "run/weights.h"

namespace fovea {

MeasureRows::MeasureRows(const MeasurePlan& plan, const Mask& mask, const ScoreExtents& extents,
                         bool head_mean)
    : mask_(mask.node()), extents_(extents), head_mean_(head_mean) {
  for (Index b = 0; head_mean && b < extents.batch; ++b) {
    of_any_head_.push_back(mask.of_any_head(mask.batch() > 0 ? b % mask.batch() : 0));
  }
  accumulators_.assign(static_cast<std::size_t>(extents.batch * tasks_per_entry()), HeadAccumulator(plan));
}

void MeasureRows::add(ConstView rows, const KnownFacts& known) {
  parallel_for(extents_.batch * tasks_per_entry(), [&](Index task) {
    const Index b = task / tasks_per_entry(), h = task % tasks_per_entry();
    if (h < extents_.heads) {
      add_head(rows, b, h, known);
    } else {
      add_mean(rows, b);
    }
  });
  next_row_ += rows.shape()[3];
}

void MeasureRows::add_head(ConstView rows, Index b, Index h, const KnownFacts& known) {
  HeadAccumulator& head = of_head(b, h);
  VisibleKeys visible(mask_, extents_);
  std::vector<double> row(static_cast<std::size_t>(extents_.m));
  for (Index r = 0; r < rows.shape()[3]; ++r) {
    const Index i = next_row_ + r;
    read_row(rows, b, h, r, row);
    visible.set_row(b, h, i);
    if (known) {
      head.add_row(known(b, h, i), visible, row);
      continue;
    }
    head.add_row(facts_of(row, i + extents_.m - extents_.n), visible, row);
    for (Index j = 0; j < extents_.m; ++j) head.add_received(j, row[static_cast<std::size_t>(j)]);
  }
}

void MeasureRows::add_mean(ConstView rows, Index b) {
  HeadAccumulator& mean = of_head(b, extents_.heads);
  VisibleKeys visible(of_any_head_[static_cast<std::size_t>(b)].node(), {1, 1, 1, extents_.n, extents_.m});
  const ConstView heads = rows.select(0, b / extents_.inner_batch).select(0, b % extents_.inner_batch);
  std::vector<double> row;
  for (Index r = 0; r < rows.shape()[3]; ++r) {
    const Index i = next_row_ + r;
    merge_row(heads, HeadMerge::mean, r, row);
    visible.set_row(0, 0, i);
    mean.add_row(facts_of(row, i + extents_.m - extents_.n), visible, row);
    for (Index j = 0; j < extents_.m; ++j) mean.add_received(j, row[static_cast<std::size_t>(j)]);
  }
}

void MeasureRows::add_facts(Index rows, const KnownFacts& known) {
  parallel_for(extents_.batch * extents_.heads, [&](Index task) {
    const Index b = task / extents_.heads, h = task % extents_.heads;
    VisibleKeys visible(mask_, extents_);
    for (Index i = next_row_; i < next_row_ + rows; ++i) {
      visible.set_row(b, h, i);
      of_head(b, h).add_row(known(b, h, i), visible);
    }
  });
  next_row_ += rows;
}

void MeasureRows::set_received(Index b, Index h, const float* received) {
  for (Index j = 0; j < extents_.m; ++j) of_head(b, h).add_received(j, static_cast<double>(received[j]));
}

void MeasureRows::finish(AttentionMeasures& result) {
  for (Index b = 0; b < extents_.batch; ++b) {
    result.heads.emplace_back();
    for (Index h = 0; h < extents_.heads; ++h) result.heads.back().push_back(of_head(b, h).finish());
    if (head_mean_) result.head_mean.push_back(of_head(b, extents_.heads).finish());
  }
}

}  // namespace fovea
