// The exercises of each kind, in the order of teaching.
#pragma once

#include <vector>

#include "fovea/exercises.h"

namespace fovea {

std::vector<Exercise> by_hand_exercises();
std::vector<Exercise> first_code_exercises();  // softmax to masks
std::vector<Exercise> layer_exercises();       // projections, heads, cross, linear, Deep-ML
std::vector<Exercise> model_exercises();

}  // namespace fovea
