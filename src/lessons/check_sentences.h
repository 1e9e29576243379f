// What the check says, in both languages.
#pragma once

#include <vector>

#include "fovea/exercises.h"

namespace fovea {

Text sentence_of_missing_output();
Text sentence_of_shape(bool weights, const NumberArray& got, const NumberArray& expected);
Text sentence_of_decimals(int decimals);

// Mistakes with their reasons (or that there are none we know), then the first number that shows it.
// `inputs` is the number of answers that were looked at.
std::vector<Text> sentences_of(const Diagnosis& diagnosis, std::size_t inputs);

}  // namespace fovea
