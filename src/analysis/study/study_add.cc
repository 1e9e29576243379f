// From what was measured of texts into the sums of a study.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "analysis/study/pair_sketch.h"
#include "analysis/study/study_text.h"
#include "core/at.h"
#include "core/parallel.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr Index kContext = 6;  // tokens on both sides of a place

// Sums of a few values, which are then added to the tables: integers do not mind.
template <typename Sum>
struct FewMoments {
  std::int64_t count = 0;
  Sum sum = 0, square = 0;

  void add(Sum value, Sum squared) { ++count, sum += value, square += squared; }
  void move_to(MomentTable& table, std::size_t place) const {
    table.count[place] += count;
    table.sum[place] += sum;
    table.square[place] += square;
  }
};

template <typename Sum>
Sum exact_as(double value) {
  if constexpr (std::is_same_v<Sum, Int128>) {
    return exact(value);
  } else {
    return small_exact(value);
  }
}

// Adds one measure of a head, of all texts.
template <typename Sum>
void add_measure(StudyState& state, Index head, std::size_t k, const std::vector<MeasuredText>& texts) {
  const Measure measure = study_measures()[k];
  const bool by_row = measure != Measure::received && measure != Measure::sink_share;
  const std::size_t length = at(state.header.options.length), place = state.measure_at(head, k);
  const double bins = static_cast<double>(kStudyBins) / study_range(measure, state.header.options.length);
  std::int64_t* histogram = state.histograms.data() + place * at(kStudyBins);
  constexpr Index kLine = 8;  // counts in a line of the cache: values find their bins in any order
  for (Index bin = 0; by_row && bin < kStudyBins; bin += kLine) __builtin_prefetch(histogram + bin, 1);
  std::vector<FewMoments<Sum>> positions(by_row ? length : 0);
  for (const MeasuredText& text : texts) {
    if (text.heads.empty()) continue;
    const std::size_t n = text.ids.size();
    const double* const rows = text.heads[at(head)].rows.data() + k * n;
    std::array<FewMoments<Sum>, static_cast<std::size_t>(kTokenKinds)> kinds = {};
    for (std::size_t i = 0; i < (by_row ? n : 1); ++i) {
      const double value = rows[i];
      if (std::isnan(value)) continue;
      const Sum sum = exact_as<Sum>(value), square = exact_as<Sum>(value * value);
      ++histogram[std::clamp<Index>(static_cast<Index>(value * bins), 0, kStudyBins - 1)];
      if (by_row) positions[i].add(sum, square);
      kinds[by_row ? static_cast<std::size_t>(text.kinds[i]) : 0].add(sum, square);
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      kinds[kind].move_to(state.moments, place);
      if (by_row) kinds[kind].move_to(state.kinds, place * kinds.size() + kind);
    }
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i].move_to(state.positions, place * length + i);
  }
}

void add_measures(StudyState& state, Index head, const std::vector<MeasuredText>& texts) {
  for (std::size_t k = 0; k < study_measures().size(); ++k) {
    // No value is larger than the range but by rounding, and as many squares are summed as a text has rows,
    // or as there are texts. Below 2^63 · 2^-40 they fit into 64 bits; a factor of four is left.
    const double range = study_range(study_measures()[k], state.header.options.length);
    const auto values = static_cast<double>(std::max(at(state.header.options.length), texts.size()));
    constexpr double kMost = 2097152;  // 2^21
    if (values * range * range <= kMost) {
      add_measure<std::int64_t>(state, head, k, texts);
    } else {
      add_measure<Int128>(state, head, k, texts);
    }
  }
}

// What a head's tokens receive is larger than a cache and read all over: it is fetched a few tokens ahead.
void add_received(StudyState& state, Index head, const MeasuredText& text) {
  constexpr std::size_t kAhead = 8;
  Int128* received = state.received.data() + head * state.header.vocabulary;
  const std::vector<double>& of_text = text.heads[at(head)].received;
  const std::vector<Index>& ids = text.ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + kAhead < ids.size()) __builtin_prefetch(received + ids[i + kAhead], 1);
    received[ids[i]] += exact(of_text[i]);
  }
}

// Who looks at whom.
void add_pairs(StudyState& state, Index head, const MeasuredText& text) {
  const Index vocabulary = state.header.vocabulary;
  const HeadOfText& of_text = text.heads[at(head)];
  std::vector<MarkedAmount> pairs;
  pairs.reserve(text.ids.size());
  for (std::size_t i = 0; i < text.ids.size(); ++i) {
    const std::int32_t key = of_text.strongest[i];
    if (key < 0) continue;
    pairs.push_back(marked_pair(vocabulary, text.ids[i], text.ids[at(key)],
                                static_cast<double>(of_text.strongest_weight[i])));
  }
  const Index counters = pair_counters(vocabulary);
  add_marked(state.pairs.data() + head * kPairBuckets * counters, counters, pairs);
}

StudyPlace place_of(const MeasuredText& text, const HeadOfText& head) {
  StudyPlace place;
  place.weight = static_cast<double>(head.best_weight);
  place.text = text.hash;
  place.query = head.best_query;
  place.key = head.best_key;
  const auto near = [](Index i, Index to) { return std::abs(i - to) <= kContext; };
  bool gap = false;
  for (Index i = 0; i < static_cast<Index>(text.ids.size()); ++i) {
    if (!near(i, place.query) && !near(i, place.key)) {
      gap = !place.tokens.empty();
      continue;
    }
    if (gap) {
      place.tokens.emplace_back("…");
      place.weights.push_back(0);
      gap = false;
    }
    if (i == place.query) place.query_at = static_cast<Index>(place.tokens.size());
    if (i == place.key) place.key_at = static_cast<Index>(place.tokens.size());
    place.tokens.push_back(text.tokens[at(i)]);
    place.weights.push_back(static_cast<double>(head.best_row[at(i)]));
  }
  return place;
}

// What one head did with the texts.
void add_head(StudyState& state, Index head, const std::vector<MeasuredText>& texts) {
  const StudyHeader& header = state.header;
  add_measures(state, head, texts);
  for (const MeasuredText& text : texts) {
    if (text.heads.empty()) continue;
    const HeadOfText& of_text = text.heads[at(head)];
    const auto n = static_cast<Index>(text.ids.size());
    const Index first = head * header.distances() + header.options.length - n;  // of distance −(n − 1)
    for (Index d = 0; d < 2 * n - 1; ++d) {
      state.distance_weight[at(first + d)] += exact(of_text.distance_weight[at(d)]);
      state.distance_pairs[at(first + d)] += of_text.distance_pairs[at(d)];
    }
    add_received(state, head, text);
    add_pairs(state, head, text);
    ++state.roles[at(head) * study_roles().size() + of_text.role];
    std::vector<StudyPlace>& places = state.places[at(head)];
    const bool full = static_cast<Index>(places.size()) == kStudyPlaces;
    if (of_text.best_query < 0) continue;
    if (full && static_cast<double>(of_text.best_weight) < places.back().weight) continue;
    insert_place(places, place_of(text, of_text));
  }
}

// What the texts have in common: counts, tokens, similarity.
void add_shared(StudyState& state, const std::vector<MeasuredText>& texts) {
  const Index heads = state.header.all_heads();
  for (const MeasuredText& text : texts) {
    if (text.heads.empty()) {
      ++state.counts.skipped;
      continue;
    }
    ++state.counts.texts;
    state.counts.tokens += static_cast<Index>(text.ids.size());
    state.counts.unknown += text.unknown;
    if (text.cut) ++state.counts.cut;
    for (std::size_t i = 0; i < text.ids.size(); ++i) {
      if (state.token_count[at(text.ids[i])]++ == 0) state.names.emplace(text.ids[i], text.tokens[i]);
    }
    std::size_t pair = 0;
    for (Index a = 0; a < heads; ++a) {
      for (Index b = a + 1; b < heads; ++b, ++pair) {
        state.divergence[at(a * heads + b)] += exact(text.divergence[pair]);
      }
    }
    state.divergence_rows[0] += text.divergence_rows;
  }
}

}  // namespace

void add_texts(StudyState& state, const std::vector<MeasuredText>& texts) {
  if (texts.empty()) return;
  add_shared(state, texts);
  parallel_for(state.header.all_heads(), [&](Index head) { add_head(state, head, texts); });
}

// A text per thread: its own loops are then plain ones, and no thread waits for another within a layer. The
// heads of the last texts come after the new texts in the same loop, because a thread that has no text left
// would wait for the others: 3 % of the time on two threads.
std::vector<MeasuredText> add_and_measure(StudyState& state, const std::vector<MeasuredText>& last,
                                          const TextModel& model, const std::vector<std::string>& texts,
                                          const std::stop_token& stop) {
  add_shared(state, last);
  const auto count = static_cast<Index>(texts.size());
  std::vector<MeasuredText> measured(texts.size());
  parallel_for(count + (last.empty() ? 0 : state.header.all_heads()), [&](Index i) {
    if (i >= count) return add_head(state, i - count, last);
    check_stop(stop, "study");
    measured[at(i)] = measure_text(model, state.header, texts[at(i)]);
  });
  return measured;
}

}  // namespace internal
}  // namespace fovea
