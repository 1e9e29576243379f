#include "analysis/row_measures.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace fovea {

Index keys_holding(double share, const std::vector<double>& row, std::vector<double>& scratch) {
  scratch.clear();
  std::copy_if(row.begin(), row.end(), std::back_inserter(scratch), [](double w) { return w > 0; });
  const double target = share * (1 - kHeldTolerance) * std::accumulate(scratch.begin(), scratch.end(), 0.0);
  // Halves the part in question: the larger half is taken whole, or the last key lies in it.
  auto begin = scratch.begin(), end = scratch.end();
  double held = 0;
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, std::greater<>());
    const double larger = std::accumulate(begin, middle, 0.0);
    if (held + larger >= target) {
      end = middle;
    } else {
      held += larger;
      begin = middle;
    }
  }
  return static_cast<Index>(begin - scratch.begin()) + (begin == end ? 0 : 1);
}

}  // namespace fovea
