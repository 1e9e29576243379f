// Linear attention in double, with mistakes.
#pragma once

#include <optional>

#include "lessons/mistake_variants.h"

namespace fovea {

std::optional<Variant> linear_variant(const Problem& problem, const Slips& slips);

}  // namespace fovea
