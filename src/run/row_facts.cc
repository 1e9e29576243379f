#include "run/row_facts.h"

#include <algorithm>
#include <cmath>

namespace fovea {

RowFacts facts_of(const std::vector<double>& row, Index position) {
  RowFacts facts;
  const auto m = static_cast<Index>(row.size());
  for (Index j = 0; j < m; ++j) {
    const double weight = row[static_cast<std::size_t>(j)];
    if (!(weight > 0)) continue;
    facts.entropy -= weight * std::log(weight);
    facts.sum += weight;
    facts.maximum = std::max(facts.maximum, weight);
    facts.distance += weight * static_cast<double>(std::abs(j - position));
  }
  facts.entropy += 0.0;  // −1·ln 1 is −0
  if (position >= 0 && position < m) facts.diagonal = row[static_cast<std::size_t>(position)];
  return facts;
}

}  // namespace fovea
