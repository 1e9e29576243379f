#include "analysis/study/study_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "analysis/study/pair_sketch.h"
#include "core/at.h"
#include "core/fail.h"
#include "fovea/head_roles.h"

namespace fovea {

const std::vector<Measure>& study_measures() {
  static const std::vector<Measure> all = {
      Measure::entropy,     Measure::normalised_entropy, Measure::effective_keys, Measure::keys_90,
      Measure::confidence,  Measure::diagonal,           Measure::previous_token, Measure::next_token,
      Measure::first_token, Measure::special_tokens,     Measure::punctuation,    Measure::same_token,
      Measure::distance,    Measure::received,           Measure::sink_share};
  return all;
}

const char* to_string(TokenKind kind) {
  constexpr const char* kNames[] = {"special", "unknown", "punctuation", "number", "word", "piece"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline namespace internal {

const std::vector<std::string>& study_roles() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> ids;
    for (const RoleRule& rule : role_rules()) ids.insert(ids.end(), rule.ids.begin(), rule.ids.end());
    return ids;
  }();
  return all;
}

std::size_t study_role(const std::string& id) {
  const auto found = std::find(study_roles().begin(), study_roles().end(), id);
  if (found == study_roles().end()) fail("[study] there is no role {}", id);
  return static_cast<std::size_t>(found - study_roles().begin());
}

double study_range(Measure measure, Index length) {
  switch (measure) {
    case Measure::entropy:
      return std::log(static_cast<double>(length));
    case Measure::effective_keys:
    case Measure::keys_90:
    case Measure::distance:
    case Measure::received:
      return static_cast<double>(length);
    default:
      return 1;
  }
}

StudyValue MomentTable::value(std::size_t place) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t n = count[place];
  if (n == 0) return {0, kNone, kNone};
  const double mean = value_of(sum[place]) / static_cast<double>(n);
  const double variance = value_of(square[place]) / static_cast<double>(n) - mean * mean;
  return {n, mean, std::sqrt(std::max(0.0, variance))};
}

StudyState::StudyState(StudyHeader study_header) : header(std::move(study_header)) {
  const std::size_t a = at(header.all_heads()), k = study_measures().size(), n = at(header.options.length);
  moments.resize(a * k);
  positions.resize(a * k * n);
  kinds.resize(a * k * at(kTokenKinds));
  histograms.resize(a * k * at(kStudyBins));
  distance_weight.resize(a * at(header.distances()));
  distance_pairs.resize(a * at(header.distances()));
  received.resize(a * at(header.vocabulary));
  token_count.resize(at(header.vocabulary));
  pairs.resize(a * at(kPairBuckets * pair_counters(header.vocabulary)));
  roles.resize(a * study_roles().size());
  divergence.resize(a * a);
  divergence_rows.resize(1);
  places.resize(a);
}

std::uint64_t text_hash(std::string_view text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return seed;
}

bool is_stronger(const StudyPlace& a, const StudyPlace& b) {
  return std::tie(b.weight, a.text, a.query, a.key) < std::tie(a.weight, b.text, b.query, b.key);
}

void insert_place(std::vector<StudyPlace>& places, StudyPlace place) {
  // The same text twice has the same place twice.
  if (std::any_of(places.begin(), places.end(), [&](const StudyPlace& p) { return p.text == place.text; }))
    return;
  places.insert(std::upper_bound(places.begin(), places.end(), place, is_stronger), std::move(place));
  if (places.size() > at(kStudyPlaces)) places.pop_back();
}

namespace {

void check_same_study(const StudyHeader& a, const StudyHeader& b) {
  const auto same = [](const char* what, const auto& left, const auto& right) {
    if (!(left == right)) fail("[study] cannot merge: {} is {} in one, {} in the other", what, left, right);
  };
  same("the model", a.model, b.model);
  same("the number of parameters", a.parameters, b.parameters);
  same("the kind of attention", std::string(to_string(a.kind)), std::string(to_string(b.kind)));
  same("the number of layers", a.layers, b.layers);
  same("the number of heads", a.heads, b.heads);
  same("the vocabulary", a.vocabulary, b.vocabulary);
  same("the type of the weights", std::string(to_string(a.weights)), std::string(to_string(b.weights)));
  same("the precision", std::string(to_string(a.precision)), std::string(to_string(b.precision)));
  same("the length", a.options.length, b.options.length);
  same("the number of compared rows", a.options.similarity_rows, b.options.similarity_rows);
}

// Two whole studies are of all texts of both; two of shards are of these shards.
void merge_parts(StudyState& into, const StudyState& other) {
  if (into.parts.empty() && other.parts.empty()) {
    std::string& name = into.header.options.corpus;
    const std::string& added = other.header.options.corpus;
    if (name != added) name = std::min(name, added) + " + " + std::max(name, added);
    return;
  }
  if (into.shards != other.shards || into.header.options.corpus != other.header.options.corpus) {
    fail("[study] cannot merge: one is of {} shards of \"{}\", the other of {} of \"{}\"", into.shards,
         into.header.options.corpus, other.shards, other.header.options.corpus);
  }
  for (const Index part : other.parts) {
    if (std::find(into.parts.begin(), into.parts.end(), part) != into.parts.end()) {
      fail("[study] cannot merge: shard {} of {} is in both", part, into.shards);
    }
    into.parts.push_back(part);
  }
  std::sort(into.parts.begin(), into.parts.end());
  if (static_cast<Index>(into.parts.size()) == into.shards) {
    into.parts.clear();
    into.shards = 1;
  }
}

template <typename Number>
void add_all(std::vector<Number>& into, const std::vector<Number>& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += other[i];
}

}  // namespace

void merge_states(StudyState& into, const StudyState& other) {
  check_same_study(into.header, other.header);
  merge_parts(into, other);
  // Both are visited in the same order.
  std::vector<const std::vector<std::int64_t>*> numbers;
  std::vector<const std::vector<Int128>*> sums;
  for_each_table(other, [&](const std::string&, const auto& table) {
    if constexpr (std::is_same_v<std::decay_t<decltype(table)>, std::vector<Int128>>) {
      sums.push_back(&table);
    } else {
      numbers.push_back(&table);
    }
  });
  auto number = numbers.begin();
  auto sum = sums.begin();
  for_each_table(into, [&](const std::string&, auto& table) {
    if constexpr (std::is_same_v<std::decay_t<decltype(table)>, std::vector<Int128>>) {
      add_all(table, **sum++);
    } else {
      add_all(table, **number++);
    }
  });
  add_all(into.received, other.received);
  add_all(into.token_count, other.token_count);
  into.names.insert(other.names.begin(), other.names.end());
  for (std::size_t h = 0; h < into.places.size(); ++h) {
    for (const StudyPlace& place : other.places[h]) insert_place(into.places[h], place);
  }
  StudyCounts& counts = into.counts;
  const StudyCounts& more = other.counts;
  counts.texts += more.texts, counts.tokens += more.tokens, counts.cut += more.cut;
  counts.skipped += more.skipped, counts.unknown += more.unknown;
  counts.broken += more.broken, counts.repaired += more.repaired, counts.empty += more.empty;
}

}  // namespace internal
}  // namespace fovea
