// What every head does with one text.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/study/study_state.h"
#include "fovea/study.h"

namespace fovea {
inline namespace internal {

// Of one head. N tokens.
struct HeadOfText {
  std::vector<double> rows;             // [K, N], NaN where the measure does not apply; of a text's
                                        // measures, the first is that of the text
  std::vector<double> received;         // [N]
  std::vector<double> distance_weight;  // [2N − 1], distance −(N − 1) first
  std::vector<std::int64_t> distance_pairs;
  std::vector<std::int32_t> strongest;  // [N] the key that is not special and holds most; −1: none
  std::vector<float> strongest_weight;  // [N]
  std::int32_t best_query = -1, best_key = -1;  // the largest weight between two different such tokens
  float best_weight = 0;
  std::vector<float> best_row;  // [N] weights of best_query
  std::size_t role = 0;
};

struct MeasuredText {
  std::vector<Index> ids;
  std::vector<std::string> tokens;
  std::vector<TokenKind> kinds;
  bool cut = false;
  Index unknown = 0;
  std::uint64_t hash = 0;
  std::vector<HeadOfText> heads;   // [A]; none: the text has no token of its own
  std::vector<double> divergence;  // [A · (A − 1) / 2] sums over the compared rows, pairs in order
  Index divergence_rows = 0;
};

// Runs the model on the text alone, whatever is measured at the same time: the numbers depend on nothing
// else.
MeasuredText measure_text(const TextModel& model, const StudyHeader& header, const std::string& text);

void add_texts(StudyState& state, const std::vector<MeasuredText>& texts);

// Adds `last` and measures `texts`. A stop, or a text that cannot be measured, is thrown when all of `last`
// is added.
std::vector<MeasuredText> add_and_measure(StudyState& state, const std::vector<MeasuredText>& last,
                                          const TextModel& model, const std::vector<std::string>& texts,
                                          const std::stop_token& stop);

}  // namespace internal
}  // namespace fovea
