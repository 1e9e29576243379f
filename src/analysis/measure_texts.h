// The texts of the measures, by subject.
#pragma once

#include <vector>

#include "fovea/measure_definitions.h"

namespace fovea {

// The same in both languages: formulas without words.
inline Text both(const char* formula) { return {formula, formula}; }

std::vector<MeasureDefinition> spread_definitions();     // entropy and its kin
std::vector<MeasureDefinition> received_definitions();   // sums over rows and columns
std::vector<MeasureDefinition> token_definitions();      // positions and kinds of tokens
std::vector<MeasureDefinition> structure_definitions();  // blocks, repetition, several heads, layers

}  // namespace fovea
