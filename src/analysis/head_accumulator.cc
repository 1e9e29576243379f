#include "analysis/head_accumulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/at.h"

namespace fovea {
namespace {

std::size_t place(Measure measure) { return static_cast<std::size_t>(measure); }

// One value per row; received and sink_share are of the columns.
bool is_per_row(Measure measure) { return measure != Measure::received && measure != Measure::sink_share; }

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
}

bool MeasurePlan::wants_weights() const {
  const Measure from_weights[] = {Measure::keys_90,     Measure::previous_token, Measure::next_token,
                                  Measure::first_token, Measure::special_tokens, Measure::punctuation,
                                  Measure::same_token,  Measure::block_diagonal, Measure::induction};
  return std::any_of(std::begin(from_weights), std::end(from_weights),
                     [&](Measure measure) { return wants(measure); });
}

HeadAccumulator::HeadAccumulator(const MeasurePlan& plan) : plan_(&plan) {
  measures_.received.assign(at(plan.m), 0.0);
  if (!plan.keep_rows) return;
  for (const Measure measure : all_measures()) {
    if (plan.wants(measure) && is_per_row(measure))
      measures_.row_values[place(measure)].assign(at(plan.n), 0.0);
  }
}

void HeadAccumulator::record(Measure measure, double value) {
  if (!plan_->wants(measure)) return;
  sums_[place(measure)] += value;
  ++counts_[place(measure)];
  if (plan_->keep_rows) measures_.row_values[place(measure)][at(row_)] = value;
}

void HeadAccumulator::record_key(Measure measure, Index key, const VisibleKeys& visible,
                                 const std::vector<double>& weights) {
  if (key >= 0 && key < plan_->m && visible.contain(key)) record(measure, weights[at(key)]);
}

void HeadAccumulator::record_keys(Measure measure, const std::vector<Index>& keys,
                                  const std::vector<double>& weights) {
  if (!plan_->wants(measure)) return;
  double mass = 0;
  for (const Index key : keys) mass += weights[at(key)];
  record(measure, mass);
}

// The own position does not count: it is the diagonal.
void HeadAccumulator::record_same_token(const VisibleKeys& visible, const std::vector<double>& weights) {
  if (!plan_->wants(Measure::same_token)) return;
  const SequenceStructure& structure = plan_->structure;
  double mass = 0;
  bool seen = false;
  for (const Index key : structure.groups[at(structure.group_of_query[at(row_)])]) {
    if ((structure.self && key == position()) || !visible.contain(key)) continue;
    mass += weights[at(key)];
    seen = true;
  }
  if (seen) record(Measure::same_token, mass);
}

void HeadAccumulator::record_block(const std::vector<double>& weights) {
  if (!plan_->wants(Measure::block_diagonal) || position() < 0 || position() >= plan_->m) return;
  const std::vector<Index>& blocks = plan_->structure.block_of_key;
  double mass = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (blocks[j] == blocks[at(position())]) mass += weights[j];
  }
  record(Measure::block_diagonal, mass);
}

void HeadAccumulator::record_induction(const VisibleKeys& visible, const std::vector<double>& weights) {
  const SequenceStructure& structure = plan_->structure;
  if (position() < structure.repeats_from + structure.period || position() >= structure.repeats_until)
    return;
  record_key(Measure::induction, position() - structure.period + 1, visible, weights);
}

void HeadAccumulator::add_row(const RowFacts& facts, const VisibleKeys& visible) {
  record(Measure::outgoing, facts.sum);
  if (visible.count() > 0 && facts.sum > 0) {
    ++measures_.rows_seeing;
    record(Measure::entropy, facts.entropy);
    if (visible.count() > 1) {
      record(Measure::normalised_entropy, facts.entropy / std::log(static_cast<double>(visible.count())));
    }
    record(Measure::effective_keys, std::exp(facts.entropy));
    record(Measure::confidence, facts.maximum);
    record(Measure::distance, facts.distance);
    const bool has_own = position() >= 0 && position() < plan_->m && visible.contain(position());
    if (has_own) record(Measure::diagonal, facts.diagonal);
  }
  ++row_;
}

void HeadAccumulator::add_row(const RowFacts& facts, const VisibleKeys& visible,
                              const std::vector<double>& weights) {
  if (visible.count() > 0 && facts.sum > 0) {
    if (plan_->wants(Measure::keys_90)) {
      record(Measure::keys_90, static_cast<double>(keys_holding(kHeldShare, weights, scratch_)));
    }
    record_key(Measure::previous_token, position() - 1, visible, weights);
    record_key(Measure::next_token, position() + 1, visible, weights);
    record_key(Measure::first_token, 0, visible, weights);
    record_keys(Measure::special_tokens, plan_->structure.special, weights);
    record_keys(Measure::punctuation, plan_->structure.punctuation, weights);
    record_same_token(visible, weights);
    record_block(weights);
    record_induction(visible, weights);
  }
  add_row(facts, visible);
}

HeadMeasures HeadAccumulator::finish() {
  for (const Measure measure : all_measures()) {
    if (counts_[place(measure)] == 0) continue;
    measures_.values[place(measure)] = sums_[place(measure)] / static_cast<double>(counts_[place(measure)]);
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

HeadMeasures::HeadMeasures() { values.fill(std::numeric_limits<double>::quiet_NaN()); }

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
