// What a study sums up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/study/exact_sum.h"
#include "fovea/study.h"

namespace fovea {
inline namespace internal {

// The same for every text; two studies may be merged if all of it agrees.
struct StudyHeader {
  std::string model;
  Index parameters = 0;
  AttentionKind kind = AttentionKind::encoder;
  Index layers = 0, heads = 0, vocabulary = 0;
  FloatType weights = FloatType::float32;    // how the model was loaded
  Precision precision = Precision::float32;  // of its products
  StudyOptions options;

  Index all_heads() const { return layers * heads; }
  Index distances() const { return 2 * options.length - 1; }
};

// Three sums of the same values.
struct MomentTable {
  std::vector<std::int64_t> count;
  std::vector<Int128> sum, square;

  void resize(std::size_t size) { count.resize(size), sum.resize(size), square.resize(size); }
  StudyValue value(std::size_t at) const;
};

// Sizes: A heads of all layers, K measures, N tokens of a text, V tokens of the vocabulary.
struct FOVEA_PRIVATE_API StudyState {
  explicit StudyState(StudyHeader study_header);

  StudyHeader header;
  StudyCounts counts;
  // Of how many shards, and which of them are in here; 1 and none: all.
  Index shards = 1;
  std::vector<Index> parts;

  MomentTable moments;                          // [A, K]
  MomentTable positions;                        // [A, K, N]
  MomentTable kinds;                            // [A, K, kTokenKinds]
  std::vector<std::int64_t> histograms;         // [A, K, kStudyBins]
  std::vector<Int128> distance_weight;          // [A, 2N − 1], distance −(N − 1) first
  std::vector<std::int64_t> distance_pairs;     // [A, 2N − 1]
  std::vector<Int128> received;                 // [A, V]
  std::vector<std::int64_t> token_count;        // [V]
  std::vector<std::int64_t> pairs;              // [A, kPairBuckets, counters]
  std::vector<std::int64_t> roles;              // [A, roles]
  std::vector<Int128> divergence;               // [A, A], above the diagonal
  std::vector<std::int64_t> divergence_rows;    // [1]
  std::vector<std::vector<StudyPlace>> places;  // [A], strongest first
  std::map<Index, std::string> names;           // of the tokens that were seen

  std::size_t measure_at(Index head, std::size_t measure) const {
    return static_cast<std::size_t>(head) * study_measures().size() + measure;
  }
};

// Calls visit(name, vector) for every table but `received`, whose file is sparse.
template <typename State, typename Visit>
void for_each_table(State& state, const Visit& visit) {
  const auto moments = [&](const std::string& name, auto& table) {
    visit(name + ".count", table.count);
    visit(name + ".sum", table.sum);
    visit(name + ".square", table.square);
  };
  moments("measures", state.moments);
  moments("positions", state.positions);
  moments("kinds", state.kinds);
  visit("histograms", state.histograms);
  visit("distances.weight", state.distance_weight);
  visit("distances.pairs", state.distance_pairs);
  visit("pairs", state.pairs);
  visit("roles", state.roles);
  visit("divergence.sum", state.divergence);
  visit("divergence.rows", state.divergence_rows);
}

const std::vector<std::string>& study_roles();  // all ids, in the order of the rules
std::size_t study_role(const std::string& id);
double study_range(Measure measure, Index length);
void merge_states(StudyState& into, const StudyState& other);
// Puts a place among the strongest; the order of coming does not matter.
void insert_place(std::vector<StudyPlace>& places, StudyPlace place);
bool is_stronger(const StudyPlace& a, const StudyPlace& b);
std::uint64_t text_hash(std::string_view text, std::uint64_t seed = 0xCBF29CE484222325u);

}  // namespace internal
}  // namespace fovea
