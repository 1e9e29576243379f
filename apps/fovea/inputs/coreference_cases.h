// Sentences with a pronoun as cases for measure_pointing.
#pragma once

#include <vector>

#include "fovea/coreference.h"
#include "fovea/pointing.h"

namespace fovea::command {

inline std::vector<PointingCase> pointing_cases(const std::vector<CoreferenceSentence>& sentences) {
  std::vector<PointingCase> cases;
  for (const CoreferenceSentence& each : sentences)
    cases.push_back({each.text, each.pronoun, each.right, each.other});
  return cases;
}

}  // namespace fovea::command
