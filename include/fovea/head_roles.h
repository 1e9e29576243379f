// One word for what a head mostly does, with the rule that gave it.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/language.h"
#include "fovea/measures.h"

namespace fovea {

// The thresholds of the rules, in the order in which they are tried.
inline constexpr double kBroadEntropy = 0.9;    // normalised entropy: nearly all visible keys alike
inline constexpr double kPatternWeight = 0.4;   // one key per row holds it: induction, previous token, ..
inline constexpr double kInductionLift = 2.0;   // even shares of what does not rest; see induction_lift
inline constexpr double kSinkShare = 0.5;       // half of all weight ends at one key
inline constexpr double kKindWeight = 0.5;      // special tokens, or punctuation
inline constexpr double kOwnBlockWeight = 0.9;  // within the query's own block
inline constexpr double kLocalDistance = 2.0;   // tokens away on average ..
inline constexpr Index kLocalKeys = 8;          // .. in inputs at least as long as this
inline constexpr double kFocusedConfidence = 0.5;  // mean of the largest weights

struct FOVEA_API HeadRole {
  std::string
      id;  // "previous_token"; "none" for a head whose rows see nothing, "one_key" if only one key each
  double value = 0;  // what decided
  Text name;         // "previous token, 0.83", "sink on [SEP], 0.71"
  Text rule;         // "previous_token 0.83 ≥ 0.4, the largest of its kind"
};

// From the measures that are there: what was not measured (NaN) decides nothing. `key_tokens` name the
// sink.
FOVEA_API HeadRole role_of(const HeadMeasures& head, const std::vector<std::string>& key_tokens = {});

// The rules in the order in which they are tried, and the roles that each may give.
struct FOVEA_API RoleRule {
  std::vector<std::string> ids;
  Text text;  // "broad: normalised_entropy ≥ 0.9"
};
FOVEA_API std::vector<RoleRule> role_rules();

// What role_of looks at: measures enough to tell every role.
FOVEA_API std::vector<Measure> role_measures();

}  // namespace fovea
