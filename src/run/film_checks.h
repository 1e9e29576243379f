// What every frame of a film keeps to, so that whoever shows it can rely on it.
#pragma once

#include <string>

#include "fovea/run.h"

namespace fovea {

// Layers 0, 1, .. of each kind, all of one shape and of one sequence with names for its queries and keys;
// queries and keys that are there and of a size that cannot overflow; no bias. Throws Error "<where>: ..".
void check_film_run(const Run& run, const std::string& text, const std::string& where);

// Only the numbers differ. Throws Error "<where>: ..".
void check_same_form(const Run& run, const Run& first, const std::string& where);

}  // namespace fovea
