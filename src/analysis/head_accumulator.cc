#include "analysis/head_accumulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/at.h"

namespace fovea {
namespace {

std::size_t place(Measure measure) { return static_cast<std::size_t>(measure); }

// One value per row; received, sink_share and what is passed on are of the columns, induction_lift is a
// ratio of sums.
bool is_per_row(Measure measure) {
  return measure != Measure::received && measure != Measure::sink_share &&
         measure != Measure::induction_lift && measure != Measure::passed_on &&
         measure != Measure::sink_passed_on;
}

}  // namespace

MeasurePlan::MeasurePlan(const MeasureOptions& options, Index queries, Index keys)
    : n(queries), m(keys), keep_rows(options.rows), structure(sequence_structure(options, queries, keys)) {
  for (const Measure measure : options.measures) wanted.set(place(measure));
  if (options.measures.empty()) wanted.set();
  const auto needs = [&](Measure measure, bool known) {
    wanted[place(measure)] = wanted[place(measure)] && known;
  };
  needs(Measure::special_tokens, structure.has_key_tokens);
  needs(Measure::punctuation, structure.has_key_tokens);
  needs(Measure::same_token, !structure.group_of_query.empty());
  needs(Measure::block_diagonal, !structure.block_of_key.empty());
  needs(Measure::induction, structure.period > 0);
  needs(Measure::induction_lift, structure.period > 0);
  if (!options.cross) return;
  for (const Measure measure :
       {Measure::previous_token, Measure::next_token, Measure::diagonal, Measure::distance,
        Measure::block_diagonal, Measure::induction, Measure::induction_lift}) {
    needs(measure, false);
  }
}

bool MeasurePlan::wants_weights() const {
  const Measure from_weights[] = {Measure::keys_90,       Measure::previous_token, Measure::next_token,
                                  Measure::first_token,   Measure::special_tokens, Measure::punctuation,
                                  Measure::same_token,    Measure::block_diagonal, Measure::induction,
                                  Measure::induction_lift};
  return std::any_of(std::begin(from_weights), std::end(from_weights),
                     [&](Measure measure) { return wants(measure); });
}

HeadAccumulator::HeadAccumulator(const MeasurePlan& plan) : plan_(&plan) { clear(); }

void HeadAccumulator::restart(HeadMeasures used) {
  HeadMeasures none;
  none.received = std::move(used.received);
  none.row_values = std::move(used.row_values);
  measures_ = std::move(none);
  clear();
}

void HeadAccumulator::clear() {
  row_ = 0;
  sums_.fill(0);
  counts_.fill(0);
  lift_ = {};
  measures_.received.assign(at(plan_->m), 0.0);
  if (!plan_->keep_rows) return;
  for (std::size_t measure = 0; measure < kMeasureCount; ++measure) {
    if (plan_->wanted[measure] && is_per_row(static_cast<Measure>(measure))) {
      measures_.row_values[measure].assign(at(plan_->n), plan_->absent);
    }
  }
}

void HeadAccumulator::record(Measure measure, double value) {
  if (!plan_->wants(measure)) return;
  sums_[place(measure)] += value;
  ++counts_[place(measure)];
  if (plan_->keep_rows) measures_.row_values[place(measure)][at(row_)] = value;
}

template <typename Weight>
void HeadAccumulator::record_key(Measure measure, Index key, const VisibleKeys& visible,
                                 std::span<const Weight> weights) {
  if (key >= 0 && key < plan_->m && visible.contain(key))
    record(measure, static_cast<double>(weights[at(key)]));
}

template <typename Weight>
void HeadAccumulator::record_keys(Measure measure, const std::vector<Index>& keys,
                                  std::span<const Weight> weights) {
  if (!plan_->wants(measure)) return;
  double mass = 0;
  for (const Index key : keys) mass += static_cast<double>(weights[at(key)]);
  record(measure, mass);
}

// The own position does not count: it is the diagonal.
template <typename Weight>
void HeadAccumulator::record_same_token(const VisibleKeys& visible, std::span<const Weight> weights) {
  if (!plan_->wants(Measure::same_token)) return;
  const SequenceStructure& structure = plan_->structure;
  double mass = 0;
  bool seen = false;
  for (const Index key : structure.groups[at(structure.group_of_query[at(row_)])]) {
    if ((structure.self && key == position()) || !visible.contain(key)) continue;
    mass += static_cast<double>(weights[at(key)]);
    seen = true;
  }
  if (seen) record(Measure::same_token, mass);
}

template <typename Weight>
void HeadAccumulator::record_block(std::span<const Weight> weights) {
  if (!plan_->wants(Measure::block_diagonal) || position() < 0 || position() >= plan_->m) return;
  const std::vector<Index>& blocks = plan_->structure.block_of_key;
  double mass = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (blocks[j] == blocks[at(position())]) mass += static_cast<double>(weights[j]);
  }
  record(Measure::block_diagonal, mass);
}

template <typename Weight>
void HeadAccumulator::record_induction(const RowFacts& facts, const VisibleKeys& visible,
                                       std::span<const Weight> weights) {
  const SequenceStructure& structure = plan_->structure;
  if (structure.period == 0 || position() < structure.repeats_from + structure.period ||
      position() >= structure.repeats_until)
    return;
  record_key(Measure::induction, position() - structure.period + 1, visible, weights);
  if (plan_->wants(Measure::induction_lift)) add_lift(facts, visible, weights);
}

// A head with nothing to do rests on the first key or on special tokens. What is left of its weight, spread
// evenly over the other visible keys, is what the place of induction is compared with.
template <typename Weight>
void HeadAccumulator::add_lift(const RowFacts& facts, const VisibleKeys& visible,
                               std::span<const Weight> weights) {
  const std::vector<Index>& resting = plan_->structure.resting;
  const Index period = plan_->structure.period;
  const auto weight_at = [&](Index key) {
    const bool counts = key >= 0 && key < plan_->m && visible.contain(key) &&
                        !std::binary_search(resting.begin(), resting.end(), key);
    return counts ? std::optional<double>(static_cast<double>(weights[at(key)])) : std::nullopt;
  };
  const std::optional<double> induced = weight_at(position() - period + 1);
  if (!induced) return;
  double left = facts.sum;
  Index keys = visible.count();
  for (const Index key : resting) {
    if (!visible.contain(key)) continue;
    left -= static_cast<double>(weights[at(key)]);
    --keys;
  }
  lift_.induced += *induced;
  lift_.even += std::max(0.0, left) / static_cast<double>(keys);
  ++lift_.rows;
  const Index rivals[] = {position(), position() - 1, position() + 1, position() - period};
  for (std::size_t r = 0; r < lift_.rivals.size(); ++r) lift_.rivals[r] += weight_at(rivals[r]).value_or(0);
}

void HeadAccumulator::add_row(const RowFacts& facts, const VisibleKeys& visible) {
  record(Measure::outgoing, facts.sum);
  if (visible.count() > 0 && facts.sum > 0) {
    ++measures_.rows_seeing;
    record(Measure::entropy, facts.entropy);
    if (visible.count() > 1) {
      if (visible.count() != logarithm_of_) {
        logarithm_of_ = visible.count();
        logarithm_ = std::log(static_cast<double>(logarithm_of_));
      }
      record(Measure::normalised_entropy, facts.entropy / logarithm_);
    }
    record(Measure::effective_keys, std::exp(facts.entropy));
    record(Measure::confidence, facts.maximum);
    record(Measure::distance, facts.distance);
    const bool has_own = position() >= 0 && position() < plan_->m && visible.contain(position());
    if (has_own) record(Measure::diagonal, facts.diagonal);
  }
  ++row_;
}

template <typename Weight>
void HeadAccumulator::add_weights(const RowFacts& facts, const VisibleKeys& visible,
                                  std::span<const Weight> weights, Index keys_90) {
  if (visible.count() > 0 && facts.sum > 0) {
    record(Measure::keys_90, static_cast<double>(keys_90));
    record_key(Measure::previous_token, position() - 1, visible, weights);
    record_key(Measure::next_token, position() + 1, visible, weights);
    record_key(Measure::first_token, 0, visible, weights);
    record_keys(Measure::special_tokens, plan_->structure.special, weights);
    record_keys(Measure::punctuation, plan_->structure.punctuation, weights);
    record_same_token(visible, weights);
    record_block(weights);
    record_induction(facts, visible, weights);
  }
  add_row(facts, visible);
}

template void HeadAccumulator::add_weights(const RowFacts&, const VisibleKeys&, std::span<const float>,
                                           Index);

void HeadAccumulator::add_row(const RowFacts& facts, const VisibleKeys& visible,
                              std::span<const double> weights) {
  const bool counts = plan_->wants(Measure::keys_90) && visible.count() > 0 && facts.sum > 0;
  add_weights(facts, visible, weights, counts ? keys_holding(kHeldShare, weights, scratch_) : 0);
}

HeadMeasures HeadAccumulator::finish() {
  for (std::size_t measure = 0; measure < kMeasureCount; ++measure) {
    if (counts_[measure] == 0) continue;
    measures_.values[measure] = sums_[measure] / static_cast<double>(counts_[measure]);
  }
  if (lift_.even > 0) {
    measures_.values[place(Measure::induction_lift)] = lift_.induced / lift_.even;
    measures_.induction_rival =
        *std::max_element(lift_.rivals.begin(), lift_.rivals.end()) / static_cast<double>(lift_.rows);
  }
  if (const Index key = measures_.most_attended(); key >= 0) {
    const double most = measures_.received[at(key)];
    const double all = std::accumulate(measures_.received.begin(), measures_.received.end(), 0.0);
    if (plan_->wants(Measure::received)) measures_.values[place(Measure::received)] = most;
    if (plan_->wants(Measure::sink_share) && all > 0)
      measures_.values[place(Measure::sink_share)] = most / all;
  }
  return std::move(measures_);
}

HeadMeasures::HeadMeasures() : induction_rival(std::numeric_limits<double>::quiet_NaN()) {
  values.fill(std::numeric_limits<double>::quiet_NaN());
}

Index HeadMeasures::most_attended() const {
  if (received.empty()) return -1;
  return std::max_element(received.begin(), received.end()) - received.begin();
}

std::vector<Measure> all_measures() {
  std::vector<Measure> measures;
  for (std::size_t i = 0; i < kMeasureCount; ++i) measures.push_back(static_cast<Measure>(i));
  return measures;
}

Matrix AttentionMeasures::table(Measure measure) const {
  const std::size_t columns = heads.empty() ? 0 : heads.front().size();
  Matrix result(static_cast<Index>(heads.size()), static_cast<Index>(columns));
  for (std::size_t a = 0; a < heads.size(); ++a) {
    for (std::size_t h = 0; h < columns; ++h) {
      result(static_cast<Index>(a), static_cast<Index>(h)) = heads[a][h][measure];
    }
  }
  return result;
}

}  // namespace fovea
