// Round numbers along an axis, and how they are written.
#pragma once

#include <string>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

struct Tick {
  double share = 0;  // 0: low end of the axis, 1: high end
  std::string text;
};

// Multiples of 1, 2 or 5 times a power of ten in [low, high]; at most `most` + 1. low < high.
std::vector<Tick> linear_ticks(double low, double high, int most);

// Powers of ten in [low, high], 0 < low < high, at most `most` + 1; with twice and five times them where
// the range is short.
std::vector<Tick> logarithmic_ticks(double low, double high, int most);

// 1, 2, 5, 10, 20, ..: the first that is at least `least`.
Index round_step(double least);

std::string grouped(Index number);                     // "100,000"
std::string signed_fixed(double value, int decimals);  // with a true minus: "−0.250"

}  // namespace fovea
