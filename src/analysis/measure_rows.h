// Rows of weights into the measures of all heads of a call, in parallel.
#pragma once

#include <functional>
#include <vector>

#include "analysis/head_accumulator.h"
#include "fovea/mask.h"
#include "fovea/tensor.h"

namespace fovea {

// One accumulator per head and, if asked for, one for the mean of the heads of each batch entry.
class MeasureRows {
 public:
  // Facts of row i of head h of entry b, where they are known without the weights.
  using KnownFacts = std::function<RowFacts(Index b, Index h, Index i)>;

  // The plan and the mask must outlive this object.
  MeasureRows(const MeasurePlan& plan, const Mask& mask, const ScoreExtents& extents, bool head_mean);

  // The next rows, weights [A, B, H, rows, M]. Column sums are counted, unless the facts are known: then
  // they are, too, and come by set_received().
  void add(ConstView rows, const KnownFacts& known = {});
  // The next rows, without weights.
  void add_facts(Index rows, const KnownFacts& known);
  void set_received(Index b, Index h, const float* received);  // [M]

  void finish(AttentionMeasures& result);

 private:
  void add_head(ConstView rows, Index b, Index h, const KnownFacts& known);
  void add_mean(ConstView rows, Index b);
  Index tasks_per_entry() const { return extents_.heads + (head_mean_ ? 1 : 0); }
  HeadAccumulator& of_head(Index b, Index h) {
    return accumulators_[static_cast<std::size_t>(b * tasks_per_entry() + h)];
  }

  const MaskNode* mask_;
  std::vector<Mask> of_any_head_;  // per entry: what the mean of its heads sees
  ScoreExtents extents_;
  bool head_mean_;
  Index next_row_ = 0;
  std::vector<HeadAccumulator> accumulators_;  // per entry: the heads, then the mean
};

}  // namespace fovea
