// What masks and biases of a part have in common: where its rows stand in the whole.
#pragma once

#include "fovea/api.h"
#include "fovea/score_part.h"
#include "mask/mask_node.h"

namespace fovea {
inline namespace internal {

// Throws Error "<who> ..": the part is not one of its own N × M.
FOVEA_PRIVATE_API void check_part(const char* who, const ScorePart& part);
// Throws Error: a call of these extents is not one on the part.
void check_part_extents(const char* who, const ScorePart& part, const ScoreExtents& extents);

ScoreExtents whole_extents(const ScorePart& part, ScoreExtents extents);
Row whole_row(const ScorePart& part, Row row);

}  // namespace internal
}  // namespace fovea
