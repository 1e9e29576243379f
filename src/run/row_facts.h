// What one row of weights says by itself.
#pragma once

#include <vector>

#include "fovea/shape.h"

namespace fovea {

struct RowFacts {
  double sum = 0;
  double entropy = 0;  // −Σ w ln w, never −0
  double maximum = 0;
  double distance = 0;  // Σ w |j − position|
  double diagonal = 0;  // weight of the key at the position; 0: there is none
};

// The row of a query that stands at key `position` (which may lie outside).
RowFacts facts_of(const std::vector<double>& row, Index position);

}  // namespace fovea
