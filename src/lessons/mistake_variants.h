// One attention in double, computed with any set of mistakes.
#pragma once

#include <optional>
#include <vector>

#include "fovea/mistakes.h"
#include "lessons/mistake_slips.h"

namespace fovea {

struct Variant {
  Solution solution;
  bool empty_rows = false;  // a row saw nothing: slips.empty_rows made a difference
};

// Can this mistake be made here at all? (Shapes may still forbid it.)
bool applies(const Problem& problem, Slip slip);

// Nothing where shapes do not allow it.
std::optional<Variant> variant_of(const Problem& problem, const Slips& slips);

// All forms of these mistakes together, each different answer once or more.
std::vector<Solution> variants_of(const Problem& problem, const std::vector<Slip>& slips);

// Throws Error with the shapes if the matrices do not fit each other.
void check_problem(const Problem& problem);

}  // namespace fovea
