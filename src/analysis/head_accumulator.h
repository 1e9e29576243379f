// Measures of one head, row after row.
#pragma once

#include <bitset>
#include <span>
#include <vector>

#include "analysis/row_measures.h"
#include "analysis/sequence_structure.h"
#include "fovea/measures.h"
#include "mask/visible_keys.h"
#include "run/row_facts.h"

namespace fovea {

// What is measured: the same for all heads of a call.
struct MeasurePlan {
  MeasurePlan(const MeasureOptions& options, Index queries, Index keys);

  bool wants(Measure measure) const { return wanted[static_cast<std::size_t>(measure)]; }
  bool wants_weights() const;  // or are RowFacts and column sums enough?

  Index n, m;
  bool keep_rows;
  double absent = 0;                  // what rows to which a measure does not apply are kept as
  std::bitset<kMeasureCount> wanted;  // asked for, and what they need is known
  SequenceStructure structure;
};

class HeadAccumulator {
 public:
  explicit HeadAccumulator(const MeasurePlan& plan);

  // The next rows, in order. `visible` are the keys of this row.
  void add_row(const RowFacts& facts, const VisibleKeys& visible);
  void add_row(const RowFacts& facts, const VisibleKeys& visible, std::span<const double> weights);
  // keys_90: how many of the weights hold kHeldShare of them.
  void add_row(const RowFacts& facts, const VisibleKeys& visible, std::span<const float> weights,
               Index keys_90) {
    add_weights(facts, visible, weights, keys_90);
  }
  void add_received(Index key, double weight) {
    measures_.received[static_cast<std::size_t>(key)] += weight;
  }

  HeadMeasures finish();
  // The same for another head, in the memory of what finish() gave.
  void restart(HeadMeasures used);

 private:
  template <typename Weight>
  void add_weights(const RowFacts& facts, const VisibleKeys& visible, std::span<const Weight> weights,
                   Index keys_90);

  // The value of this row, which counts in the mean.
  void record(Measure measure, double value);
  // The weight of a key, if it exists and is visible.
  template <typename Weight>
  void record_key(Measure measure, Index key, const VisibleKeys& visible, std::span<const Weight> weights);
  template <typename Weight>
  void record_keys(Measure measure, const std::vector<Index>& keys, std::span<const Weight> weights);
  template <typename Weight>
  void record_same_token(const VisibleKeys& visible, std::span<const Weight> weights);
  template <typename Weight>
  void record_block(std::span<const Weight> weights);
  template <typename Weight>
  void record_induction(const RowFacts& facts, const VisibleKeys& visible, std::span<const Weight> weights);
  template <typename Weight>
  void add_lift(const RowFacts& facts, const VisibleKeys& visible, std::span<const Weight> weights);

  void clear();

  Index position() const { return row_ + plan_->m - plan_->n; }

  const MeasurePlan* plan_;
  HeadMeasures measures_;
  Index row_;
  std::array<double, kMeasureCount> sums_;
  std::array<Index, kMeasureCount> counts_;
  std::vector<double> scratch_;
  Index logarithm_of_ = 0;  // most rows see as many keys as the one before
  double logarithm_ = 0;

  // Sums over the rows of induction_lift.
  struct InductionSums {
    double induced = 0, even = 0;
    Index rows = 0;
    std::array<double, 4> rivals = {};
  } lift_;
};

}  // namespace fovea
