// Exercises whose answer is a head of one of our own models.
#pragma once

#include "fovea/exercises.h"

namespace fovea {

Diagnosis check_head(const Exercise& exercise, const std::vector<HeadName>& heads,
                     const CheckOptions& options);

}  // namespace fovea
